package xlsx

import (
	"sort"
	"sync"
)

// pointEvery is how many inflated bytes lie between two points of an index. Reading a
// row through the index inflates half of them on average: 0.5 ms.
const pointEvery = 1 << 20

// point is a place between two rows from which a sheet can be read on.
type point struct {
	at   checkpoint
	skip int64 // bytes between the checkpoint and the first row behind it
	row  int   // the last row before
}

// rowIndex is what is known about where a sheet's rows are. It grows with every pass
// that gets further than those before it.
type rowIndex struct {
	mu       sync.Mutex
	points   []point
	bytes    int64
	disorder bool // a row does not come in ascending order, or comes twice
}

// before gives the last point from which row can be reached; nil is the sheet's beginning.
func (ix *rowIndex) before(row int) *point {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	i := sort.Search(len(ix.points), func(i int) bool { return ix.points[i].row >= row })
	if i == 0 || ix.disorder {
		return nil
	}
	p := ix.points[i-1]
	return &p
}

// last gives the last point, from which what follows the rows is reached soonest.
func (ix *rowIndex) last() *point {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if len(ix.points) == 0 {
		return nil
	}
	p := ix.points[len(ix.points)-1]
	return &p
}

// wants tells whether a point this far into the part is worth adding.
func (ix *rowIndex) wants(offset int64) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if len(ix.points) == 0 {
		return offset >= pointEvery
	}
	return offset >= ix.points[len(ix.points)-1].at.offset+pointEvery
}

func (ix *rowIndex) add(p point) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if n := len(ix.points); n > 0 && p.at.offset < ix.points[n-1].at.offset+pointEvery {
		return
	}
	ix.points = append(ix.points, p)
	ix.bytes += int64(cap(p.at.window)) + 160
}

// noteDisorder records that a pass has met a row out of order.
func (ix *rowIndex) noteDisorder() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.disorder = true
}

func (ix *rowIndex) disordered() bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.disorder
}

func (ix *rowIndex) size() int64 {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.bytes
}
