package xlsx

import (
	"slices"
	"sort"
)

// axis is what became of a sheet's rows, or of its columns: pieces of the old ones and
// new ones between them, in order. Whatever is inserted and deleted, and how often, a
// pass over the sheet's old rows meets the new ones in order.
type axis struct {
	pieces []piece
	old    []int // index in pieces of those that are old, made when needed
	begins []int // first new row of each piece
}

// piece is a run of rows or columns.
type piece struct {
	old   int // the first one as it was numbered; 0 if they are new
	count int
	like  int // for new ones: the old one whose look they take; 0 for none
}

const endless = 1 << 40

func newAxis() *axis { return &axis{pieces: []piece{{old: 1, count: endless}}} }

// insert puts new ones before at. They look like what is before them.
func (a *axis) insert(at, count int) {
	like := 0
	if at > 1 {
		old, alike := a.was(at - 1)
		like = max(old, alike)
	}
	i := a.split(at)
	if i > 0 && a.pieces[i-1].old == 0 && a.pieces[i-1].like == like {
		a.pieces[i-1].count += count
	} else {
		a.pieces = slices.Insert(a.pieces, i, piece{count: count, like: like})
	}
	a.old, a.begins = nil, nil
}

// delete takes some away, from at on.
func (a *axis) delete(at, count int) {
	i, j := a.split(at), a.split(at+count)
	a.pieces = slices.Delete(a.pieces, i, j)
	a.old, a.begins = nil, nil
}

// split makes a piece begin at at, and gives its index.
func (a *axis) split(at int) int {
	begin := 1
	for i, p := range a.pieces {
		if at == begin {
			return i
		}
		if at < begin+p.count {
			head, tail := p, p
			head.count = at - begin
			if tail.count -= head.count; p.old > 0 {
				tail.old += head.count
			}
			a.pieces[i] = head
			a.pieces = slices.Insert(a.pieces, i+1, tail)
			a.old, a.begins = nil, nil
			return i + 1
		}
		begin += p.count
	}
	return len(a.pieces)
}

func (a *axis) index() {
	if a.begins != nil {
		return
	}
	begin := 1
	for i, p := range a.pieces {
		a.begins = append(a.begins, begin)
		if p.old > 0 {
			a.old = append(a.old, i)
		}
		begin += p.count
	}
}

// now gives the place of an old one; false if it was deleted.
func (a *axis) now(old int) (int, bool) {
	if a == nil {
		return old, true
	}
	a.index()
	k := sort.Search(len(a.old), func(k int) bool { return a.pieces[a.old[k]].old > old }) - 1
	if k < 0 {
		return 0, false
	}
	i := a.old[k]
	p := a.pieces[i]
	if old >= p.old+p.count {
		return 0, false
	}
	return a.begins[i] + old - p.old, true
}

// was gives what is at a place: an old one, or 0 and what the new one looks like.
func (a *axis) was(now int) (old, like int) {
	if a == nil {
		return now, 0
	}
	a.index()
	i := sort.SearchInts(a.begins, now+1) - 1
	p := a.pieces[i]
	if p.old > 0 {
		return p.old + now - a.begins[i], 0
	}
	return 0, p.like
}

// apply makes a shift happen.
func (a *axis) apply(s shift) {
	if s.delete {
		a.delete(s.at, s.count)
	} else {
		a.insert(s.at, s.count)
	}
}

// made lists the new ones that take a look, as runs: where they begin, and like what.
func (a *axis) made() (runs []run) {
	if a == nil {
		return nil
	}
	a.index()
	for i, p := range a.pieces {
		if p.old == 0 && p.like > 0 {
			runs = append(runs, run{a.begins[i], p.count, p.like})
		}
	}
	return runs
}

// run is a run of new rows or columns that look like an old one.
type run struct{ begin, count, like int }
