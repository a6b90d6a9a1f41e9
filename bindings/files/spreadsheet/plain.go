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
	g := newGraph(c.wb)
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
				c.keep(info.Name, f.At)
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
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// keep makes the result that the file has for a formula a value.
func (c *calculation) keep(name string, at sheet.Ref) {
	_ = guarded(func() error { // what comes of it is seen when it is asked for
		value, err := c.file.GetCellValue(name, at.String(), excelize.Options{RawCellValue: true})
		if err != nil || value == "" {
			return c.file.SetCellFormula(name, at.String(), unresolved+"()")
		}
		return c.file.SetCellFormula(name, at.String(), "")
	})
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
