package xlsx

import (
	"fmt"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Validation says what people may enter into the cells of a range.
type Validation struct {
	Area     sheet.Range
	Kind     string   // list, whole, decimal, date, time, textLength, custom
	Operator string   // between, notBetween, equal, …; "" for list and custom
	Formulas []string // one or two, relative to the first cell of the area

	AllowBlank                            bool
	Style                                 string // stop, warning or information
	ErrorTitle, Error, PromptTitle, Input string
}

// AddValidation checks what is entered into a range, in place of what checked it before.
func (e *Edits) AddValidation(i int, v Validation) error {
	o, err := e.decorate(i)
	if err == nil {
		o.checks = append(o.checks, &v)
	}
	return err
}

func (v *Validation) xml(prefix string) string {
	var attrs strings.Builder
	set := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&attrs, ` %s="%s"`, name, escapeAttr(value))
		}
	}
	set("type", v.Kind)
	if v.Style != "stop" {
		set("errorStyle", v.Style)
	}
	if v.Operator != "between" {
		set("operator", v.Operator)
	}
	if v.AllowBlank {
		set("allowBlank", "1")
	}
	set("showInputMessage", "1")
	set("showErrorMessage", "1")
	set("errorTitle", v.ErrorTitle)
	set("error", v.Error)
	set("promptTitle", v.PromptTitle)
	set("prompt", v.Input)
	set("sqref", boundedText(v.Area))
	inner := ""
	for i, f := range v.Formulas {
		inner += fmt.Sprintf("<formula%d>%s</formula%[1]d>", i+1, escapeText(f))
	}
	return prefixed(prefix, "<dataValidation"+attrs.String()+">"+inner+"</dataValidation>")
}

// spare takes the cells that v checks away from an older validation; false if none are
// left to it.
func (v *Validation) spare(old *node) bool {
	var left []string
	for _, text := range strings.Fields(old.get("sqref")) {
		r, err := sheet.ParseRange(text)
		if err != nil {
			left = append(left, text)
			continue
		}
		for _, part := range without(r, v.Area) {
			left = append(left, boundedText(part))
		}
	}
	if len(left) == 0 {
		return false
	}
	old.set("sqref", strings.Join(left, " "))
	return true
}

// without gives what is left of a range when another is cut out of it.
func without(r, cut sheet.Range) []sheet.Range {
	both, overlap := r.Overlap(cut)
	if !overlap {
		return []sheet.Range{r}
	}
	var list []sheet.Range
	add := func(p sheet.Range) {
		if p.MinRow <= p.MaxRow && p.MinCol <= p.MaxCol {
			list = append(list, p)
		}
	}
	add(sheet.Range{MinCol: r.MinCol, MinRow: r.MinRow, MaxCol: r.MaxCol, MaxRow: both.MinRow - 1})
	add(sheet.Range{MinCol: r.MinCol, MinRow: both.MinRow, MaxCol: both.MinCol - 1, MaxRow: both.MaxRow})
	add(sheet.Range{MinCol: both.MaxCol + 1, MinRow: both.MinRow, MaxCol: r.MaxCol, MaxRow: both.MaxRow})
	add(sheet.Range{MinCol: r.MinCol, MinRow: both.MaxRow + 1, MaxCol: r.MaxCol, MaxRow: r.MaxRow})
	return list
}

// boundedText is a range as sheets write it: an open end is that of the sheet.
func boundedText(r sheet.Range) string {
	r.MaxRow, r.MaxCol = min(r.MaxRow, sheet.MaxRow), min(r.MaxCol, sheet.MaxCol)
	if r.MinRow == r.MaxRow && r.MinCol == r.MaxCol {
		return sheet.Ref{Col: r.MinCol, Row: r.MinRow}.String()
	}
	return areaText(r)
}
