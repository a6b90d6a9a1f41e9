package xlsx

import (
	"context"
	"slices"
	"sort"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/numfmt"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// View is a workbook with edits laid over it, read as if they were written: a read after
// an edit costs what a read costs, and not a rewrite of the workbook. It is valid until
// the edits change, and not safe for concurrent use.
type View struct {
	wb     *Workbook
	e      *Edits
	styles []viewStyle
	made   map[patchKey]uint32
}

var _ sheet.Book = (*View)(nil)

// viewStyle is a style that the file does not have yet: another one with a change.
type viewStyle struct {
	base   uint32
	change *StyleChange
	format *numfmt.Format
	code   string
	look   sheet.Style
}

// firstMade is the number of the first viewStyle.
const firstMade = 1 << 30

// With gives the workbook with edits laid over it.
func (wb *Workbook) With(e *Edits) *View {
	return &View{wb: wb, e: e, made: map[patchKey]uint32{}}
}

// Sheets implements sheet.Book.
func (v *View) Sheets() []sheet.Info { return v.wb.Sheets() }

// Size implements sheet.Book.
func (v *View) Size() int64 { return v.wb.Size() }

// Merged implements sheet.Book.
func (v *View) Merged(ctx context.Context, i int) ([]sheet.Range, error) {
	return v.e.Merged(ctx, v.wb, i)
}

// Text implements sheet.Book.
func (v *View) Text(c sheet.Cell) string {
	if k := int(c.Style) - firstMade; k >= 0 && k < len(v.styles) {
		return textOf(c, v.styles[k].format)
	}
	return v.wb.Text(c)
}

// Rows implements sheet.Book.
func (v *View) Rows(ctx context.Context, i int, within sheet.Range, fn sheet.RowFunc) error {
	own := v.e.sheets[i]
	if own == nil {
		return v.wb.Rows(ctx, i, within, fn)
	}
	err := v.rows(ctx, i, own, within, false, func(row int, cells []viewCell) error {
		line := make([]sheet.Cell, len(cells))
		for k, c := range cells {
			line[k] = c.Cell
		}
		return fn(row, line)
	})
	if err == sheet.Stop {
		return nil
	}
	return err
}

// viewCell is a cell with what it has for a formula.
type viewCell struct {
	sheet.Cell
	f       formula
	old     sheet.Ref // where the file has it; zero if it does not
	edited  bool
	written string // an edit's formula
}

// rows hands out the rows of a range with the edits; with blanks, cells that have only a
// look too. The cells are valid during the call.
func (v *View) rows(ctx context.Context, i int, own *sheetEdits, within sheet.Range, blanks bool, fn func(int, []viewCell) error) error {
	ws, err := v.wb.worksheetOf(i)
	if err != nil {
		return err
	}
	if within.MinRow > within.MaxRow || within.MinCol > within.MaxCol {
		return nil
	}
	if _, err := v.wb.styles.get(ctx, v.wb); err != nil {
		return err
	}
	todo := make([]int, 0, len(own.rows))
	for row := range own.rows {
		if within.MinRow <= row && row <= within.MaxRow {
			todo = append(todo, row)
		}
	}
	sort.Ints(todo)
	o := &overlay{v: v, ctx: ctx, ws: ws, own: own, within: within, blanks: blanks, todo: todo, fn: fn}
	o.columns()
	return o.run()
}

// overlay is one pass over a range.
type overlay struct {
	v      *View
	ctx    context.Context
	ws     *worksheet
	own    *sheetEdits
	within sheet.Range
	blanks bool
	todo   []int // rows with edits that were not met yet
	fn     func(int, []viewCell) error

	minCol, maxCol int // what of the file has to be read
	out            []viewCell
}

// columns finds which columns of the file lie in the range.
func (o *overlay) columns() {
	o.minCol, o.maxCol = o.within.MinCol, min(o.within.MaxCol, sheet.MaxCol)
	if o.own.columns == nil {
		return
	}
	lo, hi := sheet.MaxCol, 1
	a := o.own.columns
	a.index()
	for k, p := range a.pieces {
		from, to := max(a.begins[k], o.within.MinCol), min(a.begins[k]+p.count-1, o.within.MaxCol, sheet.MaxCol)
		if from > to {
			continue
		}
		if p.old > 0 {
			lo, hi = min(lo, p.old+from-a.begins[k]), max(hi, min(p.old+to-a.begins[k], sheet.MaxCol))
		} else if p.like > 0 {
			lo, hi = min(lo, p.like), max(hi, p.like)
		}
	}
	o.minCol, o.maxCol = lo, hi
}

func (o *overlay) run() error {
	if o.own.lines == nil {
		if err := o.pass(o.within.MinRow, o.within.MaxRow, 0); err != nil {
			return err
		}
		return o.until(sheet.Unbounded)
	}
	a := o.own.lines
	a.index()
	for k, p := range a.pieces {
		from, to := max(a.begins[k], o.within.MinRow), min(a.begins[k]+p.count-1, o.within.MaxRow)
		if from > to {
			continue
		}
		if p.old == 0 {
			continue
		}
		if err := o.pass(p.old+from-a.begins[k], p.old+to-a.begins[k], a.begins[k]-p.old); err != nil {
			return err
		}
	}
	return o.until(sheet.Unbounded)
}

// pass reads rows of the file, which are now further down by moved.
func (o *overlay) pass(from, to, moved int) error {
	within := sheet.Range{MinCol: o.minCol, MinRow: from, MaxCol: o.maxCol, MaxRow: to}
	if o.minCol > o.maxCol {
		return nil
	}
	// Blank cells are needed for the looks that edits take over.
	p := &cellParser{blanks: o.blanks || len(o.todo) > 0, withFormulas: true}
	return o.ws.rows(o.ctx, within, p, func(old int, p *cellParser) error {
		row := old + moved
		if err := o.until(row); err != nil {
			return err
		}
		var edits []cellEdit
		if len(o.todo) > 0 && o.todo[0] == row {
			o.todo, edits = o.todo[1:], o.own.of(row)
		}
		return o.row(row, old, p, edits)
	})
}

// until hands out the rows before a row that have edits and nothing else.
func (o *overlay) until(before int) error {
	for len(o.todo) > 0 && o.todo[0] < before {
		row := o.todo[0]
		o.todo = o.todo[1:]
		p := &cellParser{blanks: true, withFormulas: true}
		if old, like := o.own.lines.was(row); old == 0 && like > 0 {
			err := o.ws.rows(o.ctx, sheet.Range{MinCol: o.minCol, MinRow: like, MaxCol: o.maxCol, MaxRow: like}, p, func(_ int, p *cellParser) error {
				for k := range p.cells {
					p.cells[k].Value, p.cells[k].Formula, p.formulas[k] = sheet.Value{}, false, formula{shared: -1}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if err := o.row(row, 0, p, o.own.of(row)); err != nil {
			return err
		}
	}
	return nil
}

// row hands out one row: what the file has, where it is now, with its edits.
func (o *overlay) row(row, old int, p *cellParser, edits []cellEdit) error {
	o.out = o.out[:0]
	for k, c := range p.cells {
		col, ok := o.own.columns.now(int(c.Col))
		if !ok {
			continue
		}
		was := sheet.Ref{Col: int(c.Col), Row: old}
		c.Col = int32(col)
		o.out = append(o.out, viewCell{Cell: c, f: p.formulas[k], old: was})
	}
	for _, m := range o.own.columns.made() {
		for _, c := range p.cells {
			for k := 0; int(c.Col) == m.like && c.Style != 0 && k < m.count; k++ {
				o.out = append(o.out, viewCell{Cell: sheet.Cell{Col: int32(m.begin + k), Style: c.Style}, f: formula{shared: -1}})
			}
		}
	}
	if o.own.columns != nil {
		slices.SortFunc(o.out, func(a, b viewCell) int { return int(a.Col) - int(b.Col) })
	}
	for _, e := range edits {
		k, found := slices.BinarySearchFunc(o.out, e.col, func(c viewCell, col int32) int { return int(c.Col) - int(col) })
		if !found {
			o.out = slices.Insert(o.out, k, viewCell{Cell: sheet.Cell{Col: e.col, Style: e.base}, f: formula{shared: -1}})
		}
		c := &o.out[k]
		if c.Style == 0 && c.old.Row == 0 {
			c.Style = e.base
		}
		c.Value, c.Formula, c.edited, c.written = e.value, e.formula != "", true, e.formula
	}
	kept := o.out[:0]
	for _, c := range o.out {
		if int(c.Col) < o.within.MinCol || int(c.Col) > o.within.MaxCol {
			continue
		}
		o.v.restyle(&c, o.own, row)
		if c.Kind != sheet.Empty || c.Formula || o.blanks {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return o.fn(row, kept)
}

// asDate is the value of a number in a cell that shows dates.
func (v *View) asDate(n float64) sheet.Value {
	serial := n
	if v.wb.date1904 {
		serial += 1462
	}
	if serial >= 0 && serial < sheet.MaxSerial {
		return sheet.Serial(serial)
	}
	return sheet.Num(n)
}

// date tells whether a style shows numbers as dates.
func (v *View) date(style uint32) bool {
	if k := int(style) - firstMade; k >= 0 && k < len(v.styles) {
		return v.styles[k].format.IsDate()
	}
	s := v.wb.styles.table.Load()
	return s != nil && int(style) < len(s.isDate) && s.isDate[style]
}

// restyle lays the changes of looks over a cell. What shows dates now is a date, and a
// date that was written gets a format that shows it.
func (v *View) restyle(c *viewCell, own *sheetEdits, row int) {
	for _, a := range own.areas {
		if a.within.Contains(sheet.Ref{Col: int(c.Col), Row: row}) {
			c.Style = v.apply(c.Style, a.change)
		}
	}
	isDate := v.date(c.Style)
	switch {
	case c.Kind == sheet.Number && isDate:
		c.Value = v.asDate(c.Num)
	case c.Kind == sheet.Date && !isDate && c.edited:
		c.Style = v.apply(c.Style, dateStyle(c.Num))
	case c.Kind == sheet.Date && !isDate:
		n := c.Num
		if v.wb.date1904 {
			n -= 1462
		}
		c.Value = sheet.Num(n)
	}
}

// apply gives the number of a style with a change.
func (v *View) apply(base uint32, change *StyleChange) uint32 {
	key := patchKey{base, change}
	if made, ok := v.made[key]; ok {
		return made
	}
	s := viewStyle{base: base, change: change, code: v.code(base)}
	if old := v.look(base); old != nil {
		s.look = *old
	}
	s.look = v.change(s.look, change)
	if change.NumberFormat != nil {
		s.code = *change.NumberFormat
	}
	s.format = numfmt.Parse(s.code)
	v.made[key] = firstMade + uint32(len(v.styles))
	v.styles = append(v.styles, s)
	return v.made[key]
}

func (v *View) code(style uint32) string {
	if k := int(style) - firstMade; k >= 0 && k < len(v.styles) {
		return v.styles[k].code
	}
	return v.wb.styles.code(style)
}

func (v *View) look(style uint32) *sheet.Style {
	if k := int(style) - firstMade; k >= 0 && k < len(v.styles) {
		look := v.styles[k].look
		if look == (sheet.Style{}) {
			return nil
		}
		return &look
	}
	return v.wb.styles.look(style)
}

// change gives a look with a change laid over it.
func (v *View) change(s sheet.Style, c *StyleChange) sheet.Style {
	set := func(to *bool, from *bool) {
		if from != nil {
			*to = *from
		}
	}
	text := func(to *string, from *string, plain, prefix string) {
		if from == nil {
			return
		}
		if *to = *from; *to != "" {
			*to = prefix + *to
		}
		if *to == plain {
			*to = ""
		}
	}
	var plain font
	if t := v.wb.styles.table.Load(); t != nil && len(t.xfs) > 0 {
		plain = at(t.fonts, t.xfs[0].font)
	}
	set(&s.Bold, c.Bold)
	set(&s.Italic, c.Italic)
	set(&s.Underline, c.Underline)
	set(&s.Strike, c.Strike)
	set(&s.Wrap, c.Wrap)
	text(&s.Font, c.Font, plain.name, "")
	text(&s.Color, c.Color, plain.color, "#")
	text(&s.Fill, c.Fill, "", "#")
	text(&s.Horizontal, c.Horizontal, "", "")
	text(&s.Vertical, c.Vertical, "", "")
	if c.FontSize != nil {
		if s.FontSize = *c.FontSize; s.FontSize == plain.size {
			s.FontSize = 0
		}
	}
	return s
}
