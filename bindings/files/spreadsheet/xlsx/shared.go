package xlsx

import (
	"bytes"
	"context"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// sharedFormulas are the formulas that several cells of a sheet have in common. Only the
// first of the cells holds the text, so the sheet is looked through once for them.
type sharedFormulas struct {
	mu      sync.Mutex
	done    bool
	masters map[int]master
}

type master struct {
	at   sheet.Ref
	text string
}

const maxSharedText = 16 << 20

// at gives shared formula si as cell at has it; "" if there is no such formula.
func (f *sharedFormulas) at(ctx context.Context, s *worksheet, si int, at sheet.Ref) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done {
		masters, err := s.findMasters(ctx)
		if err != nil {
			return "", err
		}
		f.masters, f.done = masters, true
	}
	m, ok := f.masters[si]
	if !ok {
		return "", nil
	}
	return moveFormula(m.text, at.Col-m.at.Col, at.Row-m.at.Row), nil
}

func (s *worksheet) findMasters(ctx context.Context) (map[int]master, error) {
	masters := map[int]master{}
	size := 0
	rs, ok, err := s.newScanner(ctx, nil)
	if rs != nil {
		defer rs.close()
	}
	p := &cellParser{wb: s.wb, minCol: 1, maxCol: sheet.MaxCol, blanks: true, withFormulas: true, extentOnly: true}
	for err == nil && ok {
		var xml []byte
		if xml, ok, err = rs.nextRow(); err != nil || !bytes.Contains(xml, []byte("shared")) {
			continue
		}
		if err = p.parse(ctx, xml); err != nil {
			break
		}
		for i, f := range p.formulas {
			if f.shared < 0 || f.text == "" {
				continue
			}
			if size += len(f.text) + 64; size > maxSharedText {
				return nil, tooComplex("the sheet %q has too many shared formulas", clip(s.info.Name))
			}
			masters[f.shared] = master{sheet.Ref{Col: int(p.cells[i].Col), Row: rs.row}, f.text}
		}
	}
	return masters, err
}

// moveFormula gives a formula as it reads when its cell is copied to another one that
// lies cols to the right and rows below: references move, except where $ pins them, and
// those that leave the sheet become #REF!.
func moveFormula(text string, cols, rows int) string {
	if cols == 0 && rows == 0 {
		return text
	}
	return mapRefs(text, func(r *reference) verdict {
		if r.other {
			return kept
		}
		before := *r
		for _, c := range []*corner{&r.a, &r.b} {
			if c.col > 0 && !c.pinnedCol {
				if c.col += cols; c.col < 1 || c.col > sheet.MaxCol {
					return gone
				}
			}
			if c.row > 0 && !c.pinnedRow {
				if c.row += rows; c.row < 1 || c.row > sheet.MaxRow {
					return gone
				}
			}
		}
		if *r == before {
			return kept
		}
		return changed
	})
}

// isNameByte tells whether a byte may be part of a name, a number or a reference.
func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '$' || c == '_' || c == '.' || c == '\\' || c == '?' || c >= 0x80
}

type splitReference struct {
	letters, digits      string
	col, row             int
	pinnedCol, pinnedRow bool
}

// splitRef takes a reference apart; false if the word is none.
func splitRef(word string) (r splitReference, ok bool) {
	i := 0
	dollar := func() bool {
		if i < len(word) && word[i] == '$' {
			i++
			return true
		}
		return false
	}
	pinned := dollar()
	start := i
	for i < len(word) && 'a' <= word[i]|0x20 && word[i]|0x20 <= 'z' {
		i++
	}
	if r.letters = word[start:i]; r.letters != "" {
		r.pinnedCol = pinned
		pinned = dollar()
	}
	start = i
	for i < len(word) && '0' <= word[i] && word[i] <= '9' {
		i++
	}
	r.digits, r.pinnedRow = word[start:i], pinned
	if i < len(word) || len(r.letters) > 3 || len(r.digits) > 7 || r.letters == "" && r.digits == "" || r.digits == "" && pinned && r.letters != "" {
		return r, false
	}
	r.col, _ = parseCellRef([]byte(r.letters))
	r.row, _ = atoi([]byte(r.digits))
	return r, r.col <= sheet.MaxCol && r.row <= sheet.MaxRow && (r.digits == "" || r.row > 0)
}
