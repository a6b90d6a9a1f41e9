package xlsx

import (
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// change is something that happens to a workbook and that references to its cells and
// sheets have to follow.
type change interface {
	// follow says what becomes of a reference in a formula of the sheet home, which is
	// "" for formulas that belong to none.
	follow(r *reference, home string) verdict
	// touches tells quickly whether formulas of a sheet can be concerned: those that
	// name no sheet, and those that do.
	touches(home string) (plain, qualified bool)
}

// shift is rows or columns that are inserted into a sheet or deleted from it. Sheets
// are told by their names, which Excel compares without regard to case.
type shift struct {
	sheet   string
	columns bool
	delete  bool
	at      int // the first row or column that is new, or that is deleted
	count   int
}

func (s shift) max() int {
	if s.columns {
		return sheet.MaxCol
	}
	return sheet.MaxRow
}

// index says where a row or column is afterwards; false if it is deleted or pushed off
// the sheet.
func (s shift) index(i int) (int, bool) {
	switch {
	case i < s.at:
		return i, true
	case !s.delete:
		return i + s.count, i+s.count <= s.max()
	case i < s.at+s.count:
		return s.at, false
	}
	return i - s.count, true
}

// span says what becomes of rows or columns lo to hi: what is inserted within makes them
// more, what is deleted makes them fewer. false if none is left. All rows stay all rows.
func (s shift) span(lo, hi int) (int, int, bool) {
	if lo == 1 && hi >= s.max() {
		return lo, hi, true
	}
	if lo > hi {
		hi, lo, ok := s.span(hi, lo)
		return lo, hi, ok
	}
	if !s.delete {
		if lo >= s.at {
			lo += s.count
		}
		if hi >= s.at && hi < s.max() {
			hi = min(hi+s.count, s.max())
		}
		return lo, hi, lo <= s.max()
	}
	end := s.at + s.count // what follows the deleted ones
	if lo >= s.at && hi < end {
		return lo, hi, false
	}
	if lo >= s.at {
		lo = max(lo-s.count, s.at)
	}
	if hi >= end {
		hi -= s.count
	} else if hi >= s.at {
		hi = s.at - 1
	}
	return lo, hi, true
}

// area says what becomes of a range of the sheet.
func (s shift) area(r sheet.Range) (sheet.Range, bool) {
	ok := true
	if s.columns {
		if r.MaxCol != sheet.Unbounded {
			r.MinCol, r.MaxCol, ok = s.span(r.MinCol, r.MaxCol)
		}
	} else if r.MaxRow != sheet.Unbounded {
		r.MinRow, r.MaxRow, ok = s.span(r.MinRow, r.MaxRow)
	}
	return r, ok
}

// cell says where a cell is afterwards; of one that is deleted, where it was.
func (s shift) cell(at sheet.Ref) (sheet.Ref, bool) {
	ok := true
	if s.columns {
		at.Col, ok = s.index(at.Col)
	} else {
		at.Row, ok = s.index(at.Row)
	}
	return at, ok
}

func (s shift) touches(home string) (plain, qualified bool) {
	return strings.EqualFold(home, s.sheet), true
}

// follow implements change. A reference through several sheets stays, since the cells of
// the others do not move.
func (s shift) follow(r *reference, home string) verdict {
	on := home
	if r.first != "" {
		on = r.first
	}
	if r.other || !strings.EqualFold(on, s.sheet) || r.last != "" && !strings.EqualFold(r.last, s.sheet) {
		return kept
	}
	lo, hi := &r.a.row, &r.b.row
	if s.columns {
		lo, hi = &r.a.col, &r.b.col
	}
	if *lo == 0 {
		return kept
	}
	before, beforeHi := *lo, *hi
	var ok bool
	if r.isRange {
		*lo, *hi, ok = s.span(*lo, *hi)
	} else {
		*lo, ok = s.index(*lo)
		*hi = *lo
	}
	switch {
	case !ok:
		return gone
	case *lo == before && *hi == beforeHi:
		return kept
	}
	return changed
}

// rename is a sheet that gets another name.
type rename struct{ from, to string }

func (n rename) touches(string) (plain, qualified bool) { return false, true }

func (n rename) follow(r *reference, _ string) verdict {
	out := kept
	for _, name := range []*string{&r.first, &r.last} {
		if *name != "" && strings.EqualFold(*name, n.from) {
			*name, out = n.to, changed
		}
	}
	return out
}

// removal is a sheet that is deleted. order lists all sheets as their tabs stand.
type removal struct {
	sheet string
	order []string
}

func (d removal) touches(string) (plain, qualified bool) { return false, true }

// follow implements change: a reference through several sheets that begins or ends with
// the sheet begins or ends with its neighbour.
func (d removal) follow(r *reference, _ string) verdict {
	first, last := strings.EqualFold(r.first, d.sheet), strings.EqualFold(r.last, d.sheet)
	switch {
	case r.first == "" || !first && !last:
		return kept
	case r.last == "" || first && last:
		r.first, r.last = "", "" // nothing is left to name
		return gone
	}
	from, to := d.find(r.first), d.find(r.last)
	if from < 0 || to < 0 {
		return kept
	}
	step := 1
	if from > to {
		step = -1
	}
	if first {
		r.first = d.order[from+step]
	} else {
		r.last = d.order[to-step]
	}
	if strings.EqualFold(r.first, r.last) {
		r.last = ""
	}
	return changed
}

func (d removal) find(name string) int {
	for i, s := range d.order {
		if strings.EqualFold(s, name) {
			return i
		}
	}
	return -1
}

// changes happen one after the other.
type changes []change

// formula gives a formula of the sheet home as it is afterwards.
func (list changes) formula(text, home string) string {
	if !list.concern(text, home) {
		return text
	}
	return mapRefs(text, func(r *reference) verdict {
		out := kept
		for _, c := range list {
			switch c.follow(r, home) {
			case gone:
				// The cells are; the sheet may still get another name.
				r.other, out = true, gone
			case changed:
				out = max(out, changed)
			}
		}
		return out
	})
}

func (list changes) concern(text, home string) bool {
	named := strings.Contains(text, "!")
	for _, c := range list {
		if plain, qualified := c.touches(home); plain || named && qualified {
			return true
		}
	}
	return false
}

// of gives the shifts of one sheet.
func (list changes) of(name string) (own []shift) {
	for _, c := range list {
		if s, ok := c.(shift); ok && strings.EqualFold(s.sheet, name) {
			own = append(own, s)
		}
	}
	return own
}

// shifts move places of one sheet, one after the other.
type shifts []shift

func (list shifts) area(r sheet.Range) (sheet.Range, bool) {
	for _, s := range list {
		var ok bool
		if r, ok = s.area(r); !ok {
			return r, false
		}
	}
	return r, true
}

func (list shifts) cell(at sheet.Ref) (sheet.Ref, bool) {
	for _, s := range list {
		var ok bool
		if at, ok = s.cell(at); !ok {
			return at, false
		}
	}
	return at, true
}

// near is cell, but of a deleted one it gives the cell that took its place.
func (list shifts) near(at sheet.Ref) sheet.Ref {
	for _, s := range list {
		at, _ = s.cell(at)
		at.Row, at.Col = min(at.Row, sheet.MaxRow), min(at.Col, sheet.MaxCol)
	}
	return at
}

// areas is area for several, as attributes list them; "" if none is left. What is no
// range stays.
func (list shifts) areas(text string) string {
	var out []string
	for _, field := range strings.Fields(text) {
		r, err := sheet.ParseRange(field)
		if err != nil || strings.ContainsAny(field, "!") {
			out = append(out, field)
			continue
		}
		if moved, ok := list.area(r); ok {
			if moved == r {
				out = append(out, field)
			} else {
				out = append(out, moved.String())
			}
		}
	}
	return strings.Join(out, " ")
}

// relative gives a formula that is relative to the first cell of its areas, as those of
// conditional formats and validations are, and the areas, as they are afterwards. When
// the first cell is deleted, the formula is taken as the first cell that stays has it.
func (list changes) relative(areas string, formulas []string, home string) (string, []string) {
	first, ok := firstOf(areas)
	text := areas
	for _, c := range list {
		one := changes{c}
		if s, is := c.(shift); is && strings.EqualFold(s.sheet, home) && ok {
			if dc, dr := s.survivor(first); dc != 0 || dr != 0 {
				for i := range formulas {
					formulas[i] = moveFormula(formulas[i], dc, dr)
				}
			}
			text = shifts{s}.areas(text)
			if text == "" {
				return "", formulas
			}
			first, ok = firstOf(text)
		}
		for i := range formulas {
			formulas[i] = one.formula(formulas[i], home)
		}
	}
	return text, formulas
}

// survivor says how far it is from a cell to the first one behind it that is not deleted.
func (s shift) survivor(at sheet.Ref) (cols, rows int) {
	switch {
	case !s.delete:
	case s.columns && s.at <= at.Col && at.Col < s.at+s.count:
		return s.at + s.count - at.Col, 0
	case !s.columns && s.at <= at.Row && at.Row < s.at+s.count:
		return 0, s.at + s.count - at.Row
	}
	return 0, 0
}

// firstOf gives the cell at the top left of areas.
func firstOf(areas string) (sheet.Ref, bool) {
	first := sheet.Ref{Col: sheet.Unbounded, Row: sheet.Unbounded}
	found := false
	for _, field := range strings.Fields(areas) {
		if r, err := sheet.ParseRange(field); err == nil {
			first.Col, first.Row, found = min(first.Col, r.MinCol), min(first.Row, r.MinRow), true
		}
	}
	return first, found
}
