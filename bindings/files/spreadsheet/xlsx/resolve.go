package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Resolver makes formulas plain for a library that knows cells only: places of tables and
// defined names become the ranges that they stand for now.
type Resolver struct {
	wb     *Workbook
	tables map[string]*resolvedTable // by name in lower case
	names  map[scopedName]definedName
}

// resolvedTable is a table as structured references see it.
type resolvedTable struct {
	sheet           int
	area            sheet.Range
	headers, totals int // rows
	columns         []string
}

// scopedName is a defined name in lower case, with the sheet that it belongs to or -1.
type scopedName struct {
	sheet int
	name  string
}

// definedName is what a name stands for. It is read once, and not for each of its uses.
type definedName struct {
	text    string
	literal bool
	lost    bool      // what it stood for is no more
	whole   reference // if it is one and nothing else
	isWhole bool
}

// Plain is a formula that names cells only.
type Plain struct {
	Text  string
	Error string // what the formula's references have come to, such as #REF!; "" if all is well
	Why   string // why it cannot be made plain; "" if it is
}

// Resolver reads the tables of the workbook. One that cannot be read is none.
func (wb *Workbook) Resolver(ctx context.Context) (*Resolver, error) {
	rs := &Resolver{wb, map[string]*resolvedTable{}, map[scopedName]definedName{}}
	for i, s := range wb.sheets {
		if s.part == nil || s.info.Kind != sheet.Worksheet {
			continue
		}
		parts, err := wb.partsOf(ctx, s.part, "table")
		if err != nil {
			continue
		}
		for _, p := range parts {
			if root, err := wb.tree(ctx, p); err == nil {
				rs.addTable(i, root)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, n := range wb.names {
		d := definedName{text: strings.TrimPrefix(strings.TrimSpace(n.RefersTo), "=")}
		d.literal, d.lost = isLiteral(d.text), strings.Contains(d.text, "#REF!")
		d.whole, d.isWhole = wholeReference(d.text)
		rs.names[scopedName{n.Sheet, strings.ToLower(n.Name)}] = d
	}
	return rs, nil
}

func (rs *Resolver) addTable(i int, root *node) {
	area, err := sheet.ParseRange(root.get("ref"))
	list := root.child("tableColumns")
	if err != nil || list == nil || root.get("ref") == "" {
		return
	}
	t := &resolvedTable{sheet: i, area: area, headers: 1}
	if n, err := strconv.Atoi(root.get("headerRowCount")); err == nil {
		t.headers = n
	}
	t.totals, _ = strconv.Atoi(root.get("totalsRowCount"))
	for _, c := range list.kids {
		if c.name == "tableColumn" {
			t.columns = append(t.columns, string(unescapeX([]byte(c.get("name")))))
		}
	}
	if t.headers < 0 || t.totals < 0 || len(t.columns) != area.Cols() || t.headers+t.totals > area.Rows() {
		return // it contradicts itself
	}
	rs.tables[strings.ToLower(root.get("displayName"))] = t
}

// data are the rows between the headers and the totals.
func (t *resolvedTable) data() sheet.Range {
	r := t.area
	r.MinRow += t.headers
	r.MaxRow -= t.totals
	return r
}

// column finds a column by its name, whose spaces around count only if they must.
func (t *resolvedTable) column(name string) int {
	for _, name := range []string{name, strings.TrimSpace(name)} {
		if k := slices.IndexFunc(t.columns, func(c string) bool { return strings.EqualFold(c, name) }); k >= 0 {
			return k
		}
	}
	return -1
}

// Plain makes a formula of sheet i plain.
func (rs *Resolver) Plain(i int, f Formula) Plain {
	if len(f.Text) > maxFormula {
		return Plain{Text: f.Text, Why: "the formula is too long"}
	}
	p := &resolving{rs: rs, sheet: i, f: f, in: nesting{text: f.Text}}
	p.Text = mapRefs(f.Text, p.resolve)
	if p.spreads() && strings.Contains(p.Text, "'") {
		p.fail("the array formula names a sheet in quotes, which is not looked up here")
	}
	return p.Plain
}

// resolving is one formula.
type resolving struct {
	Plain
	rs    *Resolver
	sheet int
	f     Formula
	in    nesting
}

// resolvedCells are what a reference stands for.
type resolvedCells struct {
	sheet int
	area  sheet.Range
	one   bool // a cell and not a range that has one
}

// fail notes the first reason why the formula is not plain.
func (p *resolving) fail(format string, args ...any) verdict {
	if p.Why == "" {
		p.Why = fmt.Sprintf(format, args...)
	}
	return kept
}

func (p *resolving) resolve(r *reference) verdict {
	switch {
	case r.outside:
		return p.fail("the formula refers to another workbook")
	case r.last != "" && r.last != r.first:
		return kept
	case r.inner != "":
		place, code := p.structured(r)
		return p.put(r, place, code)
	case r.name != "":
		return p.named(r, r.name, r.first, 0)
	case r.other:
		return kept
	case !r.isRange:
		return kept
	}
	on := p.sheet
	if r.first != "" {
		if on = p.rs.sheetNamed(r.first); on < 0 {
			return kept
		}
	}
	place := resolvedCells{sheet: on, area: r.area()}
	if !p.spreads() && !p.alone(r, place.area) {
		return kept
	}
	return p.put(r, place, "")
}

// spreads tells whether the formula has results in several cells. Each of them takes one
// cell of each of its ranges.
func (p *resolving) spreads() bool { return p.f.Array.Rows() > 1 || p.f.Array.Cols() > 1 }

// area are the cells of a reference.
func (r *reference) area() sheet.Range {
	area := sheet.Range{
		MinCol: min(r.a.col, r.b.col), MinRow: min(r.a.row, r.b.row),
		MaxCol: max(r.a.col, r.b.col), MaxRow: max(r.a.row, r.b.row),
	}
	if area.MinCol == 0 { // whole rows
		area.MinCol, area.MaxCol = 1, sheet.MaxCol
	}
	if area.MinRow == 0 { // whole columns
		area.MinRow, area.MaxRow = 1, sheet.MaxRow
	}
	return area
}

func (rs *Resolver) sheetNamed(name string) int {
	return slices.IndexFunc(rs.wb.sheets, func(s *worksheet) bool { return strings.EqualFold(s.info.Name, name) })
}

// put makes cells what stands in place of a reference. Where one value is wanted, a range
// gives the one beside the formula's cell, as Excel has it for formulas that are no array's.
func (p *resolving) put(r *reference, place resolvedCells, code string) verdict {
	if p.spreads() && (place.area.Rows() > 1 || place.area.Cols() > 1) && p.in.at(r.from).takesWhole() {
		return p.fail("the array formula gives whole ranges to a function, which is not done here")
	}
	if code == "" && p.Why == "" && !place.one && p.alone(r, place.area) {
		if p.in.at(r.from).function != "" || p.f.Array.MinRow > 0 {
			return p.fail("the formula computes with all cells of a range one by one, which is not done here")
		}
		at, a := p.f.At, place.area
		switch {
		case a.MinCol == a.MaxCol && a.MinRow <= at.Row && at.Row <= a.MaxRow:
			a.MinRow, a.MaxRow = at.Row, at.Row
		case a.MinRow == a.MaxRow && a.MinCol <= at.Col && at.Col <= a.MaxCol:
			a.MinCol, a.MaxCol = at.Col, at.Col
		default:
			code = "#VALUE!"
		}
		place.area, place.one = a, true
	}
	switch {
	case p.Why != "":
		return kept
	case code != "":
		if p.Error == "" {
			p.Error = code
		}
		r.with = code
		return replaced
	}
	r.with = p.text(place)
	return replaced
}

// text names cells in the formula.
func (p *resolving) text(place resolvedCells) string {
	a := place.area
	r := reference{a: corner{col: a.MinCol, row: a.MinRow}, b: corner{col: a.MaxCol, row: a.MaxRow}, isRange: !place.one}
	switch {
	case a.MinRow == 1 && a.MaxRow == sheet.MaxRow:
		r.a.row, r.b.row = 0, 0
	case a.MinCol == 1 && a.MaxCol == sheet.MaxCol:
		r.a.col, r.b.col = 0, 0
	}
	if place.sheet != p.sheet {
		r.first = p.rs.wb.sheets[place.sheet].info.Name
	}
	return r.String()
}

// alone tells whether a range of several cells stands where one value is wanted: as the
// whole formula, beside an operator, or in a function of one value.
func (p *resolving) alone(r *reference, area sheet.Range) bool {
	if area.Rows() == 1 && area.Cols() == 1 || p.spreads() {
		return false
	}
	text := p.f.Text
	from, to := r.from-1, r.to
	for {
		for from >= 0 && isSpace(text[from]) {
			from--
		}
		for to < len(text) && isSpace(text[to]) {
			to++
		}
		if from < 0 && to >= len(text) {
			return true
		}
		if from >= 0 && strings.IndexByte("+-*/^&=<>", text[from]) >= 0 || to < len(text) && strings.IndexByte("+-*/^&=<>%", text[to]) >= 0 {
			return true
		}
		if from < 0 || to >= len(text) || text[from] != '(' || text[to] != ')' || from > 0 && isNameByte(text[from-1]) {
			break
		}
		from--
		to++
	}
	return ofOneValue[p.in.at(r.from).function]
}

// ofOneValue are functions that take single values and give one for each of a range.
var ofOneValue = setOf(`ABS CEILING CHAR CLEAN CODE DATEVALUE DAY EVEN EXACT EXP FIND FLOOR HOUR INT ISBLANK ISERR ISERROR ISEVEN ISLOGICAL
	ISNA ISNONTEXT ISNUMBER ISODD ISTEXT LEFT LEN LN LOG LOG10 LOWER MID MINUTE MOD MONTH NOT ODD POWER PROPER REPT RIGHT ROUND ROUNDDOWN ROUNDUP
	SEARCH SECOND SIGN SQRT SUBSTITUTE TEXT TIMEVALUE TRIM TRUNC UPPER VALUE WEEKDAY YEAR`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// maxNested is how many names may stand for each other.
const maxNested = 8

// named resolves a name or a table without brackets. on is the sheet in front of it, "" if
// there is none.
func (p *resolving) named(r *reference, name, on string, depth int) verdict {
	home := p.sheet
	if on != "" {
		if home = p.rs.sheetNamed(on); home < 0 {
			return kept
		}
	}
	lower := strings.ToLower(name)
	stands, ok := p.rs.names[scopedName{home, lower}]
	if !ok {
		stands, ok = p.rs.names[scopedName{-1, lower}]
	}
	if !ok {
		if t := p.rs.tables[lower]; t != nil && on == "" {
			return p.put(r, resolvedCells{sheet: t.sheet, area: t.data()}, "")
		}
		return kept
	}
	if stands.literal {
		if r.with = stands.text; stands.text[0] == '-' {
			r.with = "(" + stands.text + ")"
		}
		return replaced
	}
	if stands.lost {
		return p.put(r, resolvedCells{}, "#REF!")
	}
	whole := stands.whole
	switch {
	case !stands.isWhole || depth == maxNested || whole.last != "" && whole.last != whole.first:
		return p.fail("the name %s stands for a formula, which is not looked up here", clip(name))
	case whole.inner != "":
		place, code := p.structured(&whole)
		return p.put(r, place, code)
	case whole.name != "":
		return p.named(r, whole.name, whole.first, depth+1)
	}
	if whole.first != "" {
		if home = p.rs.sheetNamed(whole.first); home < 0 {
			return p.put(r, resolvedCells{}, "#REF!")
		}
	}
	// What is not pinned is meant from A1 on, and goes around the ends of the sheet.
	for _, c := range []*corner{&whole.a, &whole.b} {
		if c.col > 0 && !c.pinnedCol {
			c.col = (c.col+p.f.At.Col-2)%sheet.MaxCol + 1
		}
		if c.row > 0 && !c.pinnedRow {
			c.row = (c.row+p.f.At.Row-2)%sheet.MaxRow + 1
		}
	}
	return p.put(r, resolvedCells{home, whole.area(), !whole.isRange}, "")
}

// isLiteral tells whether a formula is a number, a text or a truth value.
func isLiteral(text string) bool {
	if text == "" {
		return false
	}
	if text[0] == '"' {
		return quoteEnd(text, 0, '"') == len(text) && len(text) > 1
	}
	_, err := strconv.ParseFloat(text, 64)
	digit := strings.IndexByte("-.0123456789", text[0]) >= 0 // and not Inf
	return err == nil && digit && !strings.ContainsAny(text, "xX_pP") || strings.EqualFold(text, "TRUE") || strings.EqualFold(text, "FALSE")
}

// wholeReference reads a formula that is one reference and nothing else.
func wholeReference(text string) (whole reference, ok bool) {
	mapRefs(text, func(r *reference) verdict {
		if r.from == 0 && r.to == len(text) && !strings.HasPrefix(r.name, "#") {
			whole, ok = *r, true
		}
		return kept
	})
	return whole, ok
}
