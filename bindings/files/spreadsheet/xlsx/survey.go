package xlsx

import (
	"bytes"
	"context"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// survey is what one look at all of a sheet tells. It is made once, when it is first
// needed, and costs little more than inflating the sheet.
type survey struct {
	mu    sync.Mutex
	done  bool
	found findings
}

type findings struct {
	used   sheet.Range // zero if no cell has a value or formula
	merged []sheet.Range
	arrays []arrayArea // of several cells
}

const maxMerged = 200_000

// get makes the survey, or answers the one that was made. A failure is not remembered:
// it may have been the caller's deadline.
func (v *survey) get(ctx context.Context, s *worksheet) (findings, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.done {
		return v.found, nil
	}
	found, err := s.look(ctx)
	if err != nil {
		return findings{}, err
	}
	v.found, v.done = found, true
	return found, nil
}

func (s *worksheet) look(ctx context.Context) (found findings, err error) {
	dates, err := s.wb.styles.dates(ctx, s.wb)
	if err != nil {
		return found, err
	}
	rs, ok, err := s.newScanner(ctx, nil)
	if rs != nil {
		defer rs.close()
	}
	if err != nil {
		return found, err
	}
	p := &cellParser{wb: s.wb, strings: s.wb.strings.snapshot(), dates: dates, minCol: 1, maxCol: sheet.MaxCol, extentOnly: true}
	small := s.part.inflated <= smallSheet
	for ok {
		var xml []byte
		if xml, ok, err = rs.nextRow(); err != nil {
			return found, err
		}
		if len(xml) == 0 {
			continue
		}
		if err := s.findArrays(ctx, rs.row, xml, &found); err != nil {
			return found, err
		}
		if !small {
			if first, last := extent(xml); first > 0 {
				found.used.Include(first, rs.row)
				found.used.Include(last, rs.row)
				continue
			}
		}
		if err := p.parse(ctx, xml); err != nil {
			return found, err
		}
		if n := len(p.cells); n > 0 {
			found.used.Include(int(p.cells[0].Col), rs.row)
			found.used.Include(int(p.cells[n-1].Col), rs.row)
		}
	}
	return found, s.tail(&rs.xmlScanner, &found)
}

// tail reads what follows the rows.
func (s *worksheet) tail(x *xmlScanner, found *findings) error {
	for {
		if err := x.next(); err != nil {
			return err
		}
		switch {
		case x.kind == endOfPart:
			return nil
		case x.kind == startTag && string(x.name) == "mergeCell":
			if len(found.merged) == maxMerged {
				return tooComplex("the sheet %q has more than %d merged areas", clip(s.info.Name), maxMerged)
			}
			if r, err := sheet.ParseRange(x.get("ref")); err == nil {
				found.merged = append(found.merged, r)
			}
		}
	}
}

var cellStart = []byte(`<c r="`)

// extent finds a row's first and last column from its first and last cell alone. It
// answers zeros when it cannot be sure: when one of the two has no value, or the XML is
// not as Excel would write it.
func extent(xml []byte) (first, last int) {
	if !bytes.HasPrefix(xml, cellStart) || findMarkup(xml) >= 0 {
		return 0, 0
	}
	end := bytes.Index(xml, []byte("</c>"))
	if end < 0 || !hasValue(xml[:end]) {
		return 0, 0
	}
	if next := bytes.Index(xml[len(cellStart):end], []byte("<c ")); next >= 0 {
		return 0, 0 // the first one is blank, and this is another's end
	}
	first, _ = parseCellRef(quoted(xml[len(cellStart):]))
	i := bytes.LastIndex(xml, cellStart)
	if !hasValue(xml[i:]) {
		return 0, 0
	}
	if last, _ = parseCellRef(quoted(xml[i+len(cellStart):])); last < first || last > sheet.MaxCol {
		return 0, 0
	}
	return first, last
}

func quoted(b []byte) []byte {
	if i := bytes.IndexByte(b, '"'); i >= 0 {
		return b[:i]
	}
	return nil
}

// hasValue tells whether a cell's XML has a value that is not empty.
func hasValue(cell []byte) bool {
	i := bytes.Index(cell, []byte("<v>"))
	return i >= 0 && i+3 < len(cell) && cell[i+3] != '<'
}
