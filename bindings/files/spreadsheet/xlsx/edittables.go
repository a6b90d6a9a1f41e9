package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// tableEdit is a table of a sheet whose rows or columns move.
type tableEdit struct {
	part    *part
	sheet   int
	name    string // in formulas
	area    sheet.Range
	header  bool
	totals  bool
	columns []tableColumn
	lastID  int // of columns
	gone    bool
}

// tableColumn is a column of a table: one that it had, by its index there, or a new one.
type tableColumn struct {
	old  int // -1 for a new one
	name string
	was  string // its name in the file
	id   int    // of a new one
}

// loadTables reads what the tables of a sheet are, before they move for the first time.
func (e *Edits) loadTables(ctx context.Context, wb *Workbook, i int) error {
	own := e.of(i)
	if own.tables {
		return nil
	}
	parts, err := wb.partsOf(ctx, wb.sheets[i].part, "table")
	if err != nil {
		return err
	}
	for _, p := range parts {
		root, err := wb.tree(ctx, p)
		if err != nil {
			return err
		}
		t := &tableEdit{part: p, sheet: i, name: root.get("displayName"), header: root.get("headerRowCount") != "0"}
		t.totals = root.get("totalsRowCount") != "" && root.get("totalsRowCount") != "0"
		if t.area, err = sheet.ParseRange(root.get("ref")); err != nil {
			continue
		}
		if list := root.child("tableColumns"); list != nil {
			for _, c := range list.kids {
				if c.name == "tableColumn" {
					name := string(unescapeX([]byte(c.get("name"))))
					t.columns = append(t.columns, tableColumn{old: len(t.columns), name: name, was: name})
					if id, err := strconv.Atoi(c.get("id")); err == nil {
						t.lastID = max(t.lastID, id)
					}
				}
			}
		}
		e.tables = append(e.tables, t)
	}
	own.tables = true
	return nil
}

// shiftTable moves a table. One that loses its row of headers is a table no more.
func (e *Edits) shiftTable(t *tableEdit, s shift) {
	before := t.area
	moved, ok := s.area(before)
	if !ok {
		e.lose(t)
		return
	}
	t.area = moved
	if !s.columns {
		end := s.at + s.count
		if s.delete && t.header && s.at <= before.MinRow && before.MinRow < end {
			e.lose(t)
			return
		}
		if s.delete && t.totals && s.at <= before.MaxRow && before.MaxRow < end {
			t.totals = false
		}
		least := 1
		if t.header {
			least++
		}
		if t.totals {
			least++
		}
		if t.area.Rows() < least {
			t.area.MaxRow = t.area.MinRow + least - 1
		}
		return
	}
	if len(t.columns) != before.Cols() {
		return // a table that contradicts itself stays as it is
	}
	if s.delete {
		from, to := max(s.at-before.MinCol, 0), min(s.at+s.count-before.MinCol, len(t.columns))
		if from < to {
			t.columns = slices.Delete(t.columns, from, to)
		}
		return
	}
	if s.at <= before.MinCol || s.at > before.MaxCol {
		return
	}
	k := s.at - before.MinCol
	for n := range t.area.Cols() - before.Cols() {
		name := t.freeName()
		t.lastID++
		t.columns = slices.Insert(t.columns, k+n, tableColumn{old: -1, name: name, id: t.lastID})
		if t.header {
			e.Set(t.sheet, sheet.Ref{Col: s.at + n, Row: t.area.MinRow}, sheet.Str(name))
		}
	}
}

// freeName gives a name for a new column, as Excel would.
func (t *tableEdit) freeName() string {
	for n := 1; ; n++ {
		name := "Column" + strconv.Itoa(n)
		taken := slices.ContainsFunc(t.columns, func(c tableColumn) bool { return strings.EqualFold(c.name, name) })
		if !taken {
			return name
		}
	}
}

func (e *Edits) lose(t *tableEdit) {
	t.gone = true
	lost := tableGone{t.name}
	e.moves = append(e.moves, lost)
	for _, s := range e.sheets {
		s.refer(changes{lost}, "")
	}
}

// tableGone is a table that is no more: what names it becomes #REF!.
type tableGone struct{ name string }

func (tableGone) touches(string) (plain, qualified bool) { return true, true }

func (t tableGone) follow(r *reference, _ string) verdict {
	if r.table != "" && strings.EqualFold(r.table, t.name) {
		return gone
	}
	return kept
}

// rewrite makes a table's XML what has become of it.
func (t *tableEdit) rewrite(root *node, f *follower) error {
	if filter := root.child("autoFilter"); filter != nil {
		if ok, err := f.node(filter); err != nil {
			return err
		} else if !ok {
			root.keep(func(k *node) bool { return k != filter })
		}
	}
	if state := root.child("sortState"); state != nil {
		if ok, _ := f.node(state); !ok {
			root.keep(func(k *node) bool { return k != state })
		}
	}
	root.set("ref", areaText(t.area))
	if filter := root.child("autoFilter"); filter != nil {
		// Its filter covers all but the totals.
		within := t.area
		if t.totals {
			within.MaxRow--
		}
		filter.set("ref", areaText(within))
	}
	if !t.totals && root.has("totalsRowCount") {
		root.set("totalsRowCount", "")
		root.set("totalsRowShown", "0")
	}
	list := root.child("tableColumns")
	if list == nil {
		return nil
	}
	var old []*node
	for _, c := range list.kids {
		if c.name == "tableColumn" {
			old = append(old, c)
		}
	}
	for _, c := range old {
		if _, err := f.kids(c); err != nil {
			return err
		}
	}
	for _, c := range t.columns {
		if c.old >= 0 && c.old < len(old) && c.name != c.was {
			c.setName(old[c.old])
		}
	}
	if len(t.columns) == len(old) && !slices.ContainsFunc(t.columns, func(c tableColumn) bool { return c.old < 0 }) {
		return nil
	}
	list.kids = nil
	for _, c := range t.columns {
		switch {
		case c.old >= 0 && c.old < len(old):
			list.kids = append(list.kids, old[c.old])
		case c.old < 0:
			list.kids = append(list.kids, element(fmt.Sprintf(`<%stableColumn id="%d" name="%s"/>`, list.prefix(), c.id, escapeXML(c.name))))
		}
	}
	list.set("count", strconv.Itoa(list.elements()))
	return nil
}

// areaText is a range with both of its corners, even if it is one cell.
func areaText(r sheet.Range) string {
	return sheet.Ref{Col: r.MinCol, Row: r.MinRow}.String() + ":" + sheet.Ref{Col: r.MaxCol, Row: r.MaxRow}.String()
}
