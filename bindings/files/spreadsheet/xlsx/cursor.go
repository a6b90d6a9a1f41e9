package xlsx

import (
	"context"
	"sync"
)

// cursor is where the last pass over rows ended. Its scanner stays open, so that a sheet
// that is read by pages is inflated once: to begin each of them from the index took as
// much time again. A workbook has one.
type cursor struct {
	mu    sync.Mutex
	sheet *worksheet // nil if nothing is kept
	rs    *rowScanner
	last  int // the rows up to here are passed
}

const (
	cursorWindow = 128 << 10              // the longest window that a scanner is kept with
	cursorSize   = cursorWindow + 230<<10 // what it takes together with its decoder
)

// take gives the scanner if it stands before a row of a sheet, and not before the point of
// the index from which that row would be read. It is the caller's then.
func (c *cursor) take(ctx context.Context, s *worksheet, row int, from *point) *rowScanner {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sheet != s || row <= c.last || from != nil && c.last < from.row || s.index.disordered() {
		return nil
	}
	rs := c.rs
	c.sheet, c.rs = nil, nil
	rs.body.ctx = ctx
	return rs
}

// keep keeps a scanner that has passed the rows up to last, instead of the one before.
func (c *cursor) keep(s *worksheet, rs *rowScanner, last int) {
	if rs.disorder || len(rs.buf) > cursorWindow {
		rs.close()
		return
	}
	rs.body.ctx = context.Background()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rs != nil {
		c.rs.close()
	}
	c.sheet, c.rs, c.last = s, rs, last
}

func (c *cursor) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rs == nil {
		return 0
	}
	return cursorSize
}
