package spreadsheet

import (
	"context"
	"regexp"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/xuri/excelize/v2"
)

// excelize knows no tables, and no names but those of plain ranges; it takes a formula that
// it cannot read for an empty cell where another one reads it. So the formulas of its copy
// of the workbook are made plain before anything is computed.

// unresolved is a function that nobody knows: it stands for a formula that cannot be made
// plain and has no result in the file, so that those that read it have none either.
const unresolved = "UNRESOLVED"

const readsUnresolved = "the formula reads one that cannot be computed here"

// plainly makes the formulas of the workbook plain, and takes those of the range that cannot
// be, or that are an error for what they refer to, out of those to compute.
func (c *calculation) plainly(ctx context.Context) (*graph, error) {
	resolver, err := c.wb.Resolver(ctx)
	if err != nil {
		return nil, err
	}
	c.file.Pkg.Delete("xl/calcChain.xml") // which would be looked through for every formula
	index := make(map[sheet.Ref]int, len(c.cells))
	for i, cell := range c.cells {
		index[cell.at] = i
	}
	g, shows := newGraph(c.wb), map[node]node{}
	for k, info := range c.wb.Sheets() {
		if !hasCells(info) {
			continue
		}
		err := c.wb.Formulas(ctx, k, func(f xlsx.Formula) error {
			plain := resolver.Plain(k, f)
			if plain.Error != "" && plain.Why == "" && looksAtErrors.MatchString(f.Text) {
				plain.Why = "the formula has lost what it referred to"
			}
			if i, wanted := index[f.At]; wanted && k == c.sheet {
				cell := &c.cells[i]
				cell.formula, cell.why = strings.TrimPrefix(f.Text, "="), plain.Why
				if plain.Error != "" && plain.Why == "" {
					cell.value, cell.done = sheet.Err(plain.Error), true
				}
			}
			switch {
			case plain.Why != "":
				if !c.keep(info.Name, f.At) {
					g.addUnresolved(node{k, f.At})
				}
				return nil
			case plain.Error == "#VALUE!":
				plain.Text = `VALUE("?")`
			case plain.Error != "":
				plain.Text = `INDIRECT("?")` // which is #REF!
			}
			if plain.Text != f.Text {
				c.rewrite(info.Name, f, plain.Text)
			}
			g.add(node{k, f.At}, plain.Text)
			if name, at, ok := xlsx.CellOf(plain.Text); ok && len(shows) < maxGraphFormulas {
				on := k
				if name != "" {
					var err error
					if on, err = findSheet(c.wb, name); err != nil {
						return nil
					}
				}
				shows[node{k, f.At}] = node{on, at}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range c.cells {
		if end, ok := lastOf(shows, node{c.sheet, c.cells[i].at}); ok {
			c.cells[i].shows = &shownCell{c.wb.Sheets()[end.sheet].Name, end.at.String()}
		}
	}
	return g, nil
}

// lastOf follows formulas that show each other's cells to the end.
func lastOf(shows map[node]node, n node) (node, bool) {
	for i := range 1000 {
		next, ok := shows[n]
		if !ok {
			return n, i > 0
		}
		n = next
	}
	return n, false
}

// shownCell is a cell of the library's copy.
type shownCell struct{ sheet, cell string }

// blank tells whether there is nothing in a cell: a formula that shows it is 0, where the
// library has an empty text.
func (p *shownCell) blank(f *excelize.File) bool {
	kind, err := f.GetCellType(p.sheet, p.cell)
	if err != nil || kind != excelize.CellTypeUnset {
		return false
	}
	value, err := f.GetCellValue(p.sheet, p.cell, excelize.Options{RawCellValue: true})
	if err != nil || value != "" {
		return false
	}
	formula, err := f.GetCellFormula(p.sheet, p.cell)
	return err == nil && formula == ""
}

// keep makes the result that the file has for a formula a value; false if there is none.
func (c *calculation) keep(name string, at sheet.Ref) (has bool) {
	_ = guarded(func() error { // what comes of it is seen when it is asked for
		value, err := c.file.GetCellValue(name, at.String(), excelize.Options{RawCellValue: true})
		if has = err == nil && value != ""; has {
			return c.file.SetCellFormula(name, at.String(), "")
		}
		return c.file.SetCellFormula(name, at.String(), unresolved+"()")
	})
	return has
}

func (c *calculation) rewrite(name string, f xlsx.Formula, text string) {
	_ = guarded(func() error {
		if f.Array.Rows() == 1 && f.Array.Cols() == 1 {
			return c.file.SetCellFormula(name, f.At.String(), text)
		}
		array, within := excelize.STCellFormulaTypeArray, f.Array.String()
		return c.file.SetCellFormula(name, f.At.String(), text, excelize.FormulaOpts{Type: &array, Ref: &within})
	})
}

// indirectly finds functions that read a reference from a text, which stays as it is.
var indirectly = regexp.MustCompile(`(?i)\bINDIRECT\(`)
