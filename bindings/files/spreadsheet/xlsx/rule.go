package xlsx

import (
	"fmt"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Rule is a conditional format of a range.
type Rule struct {
	Area sheet.Range
	Kind RuleKind
	// Style is how cells look that meet it, but for ColorScale and DataBar. Its number
	// formats, fonts and sizes are left aside: only some programs have them here.
	Style *StyleChange

	Operator string   // of CellIs: lessThan, between, …; of Text: containsText, notContains, beginsWith, endsWith
	Formulas []string // of CellIs and Expression, relative to the first cell of the area
	Text     string   // of Text
	Rank     int      // of Top
	Percent  bool
	Bottom   bool
	Colors   []string // RRGGBB: two or three of ColorScale, one of DataBar
	Stop     bool     // rules behind it do not count for cells that meet it

	dxf int
}

// RuleKind is what a Rule looks at.
type RuleKind string

// The kinds of rules, as the standard calls them.
const (
	CellIs     RuleKind = "cellIs"
	Expression RuleKind = "expression"
	Text       RuleKind = "text"
	Duplicates RuleKind = "duplicateValues"
	Unique     RuleKind = "uniqueValues"
	Top        RuleKind = "top10"
	ColorScale RuleKind = "colorScale"
	DataBar    RuleKind = "dataBar"
	Blanks     RuleKind = "containsBlanks"
	Errors     RuleKind = "containsErrors"
)

// AddRule puts a rule behind those that the sheet has.
func (e *Edits) AddRule(i int, r Rule) error {
	o, err := e.decorate(i)
	if err == nil {
		o.rules = append(o.rules, &r)
	}
	return err
}

// xml is the element of a sheet that holds the rule.
func (r *Rule) xml(prefix string, priority int) string {
	first := sheet.Ref{Col: r.Area.MinCol, Row: r.Area.MinRow}.String()
	kind, formulas, attrs, inner := string(r.Kind), r.Formulas, "", ""
	switch r.Kind {
	case CellIs:
		attrs = fmt.Sprintf(` operator="%s"`, r.Operator)
	case Text:
		kind = map[string]string{"notContains": "notContainsText"}[r.Operator]
		if kind == "" {
			kind = r.Operator
		}
		attrs = fmt.Sprintf(` operator="%s" text="%s"`, r.Operator, escapeAttr(r.Text))
		formulas = []string{textFormula(r.Operator, r.Text, first)}
	case Top:
		attrs = fmt.Sprintf(` rank="%d"`, r.Rank)
		if r.Percent {
			attrs += ` percent="1"`
		}
		if r.Bottom {
			attrs += ` bottom="1"`
		}
	case Blanks:
		formulas = []string{"LEN(TRIM(" + first + "))=0"}
	case Errors:
		formulas = []string{"ISERROR(" + first + ")"}
	case ColorScale:
		inner = r.scale()
	case DataBar:
		inner = `<dataBar><cfvo type="min"/><cfvo type="max"/><color rgb="FF` + r.Colors[0] + `"/></dataBar>`
	}
	if r.Style != nil {
		attrs = fmt.Sprintf(` dxfId="%d"`, r.dxf) + attrs
	}
	if r.Stop {
		attrs += ` stopIfTrue="1"`
	}
	for _, f := range formulas {
		inner += "<formula>" + escapeText(f) + "</formula>"
	}
	xml := fmt.Sprintf(`<conditionalFormatting sqref="%s"><cfRule type="%s" priority="%d"%s>%s</cfRule></conditionalFormatting>`,
		boundedText(r.Area), kind, priority, attrs, inner)
	return prefixed(prefix, xml)
}

func (r *Rule) scale() string {
	points := []string{`<cfvo type="min"/>`, `<cfvo type="max"/>`}
	if len(r.Colors) == 3 {
		points = []string{points[0], `<cfvo type="percentile" val="50"/>`, points[1]}
	}
	xml := "<colorScale>" + strings.Join(points, "")
	for _, c := range r.Colors {
		xml += `<color rgb="FF` + c + `"/>`
	}
	return xml + "</colorScale>"
}

// textFormula is what a rule about texts means, which it has to say as well.
func textFormula(operator, text, cell string) string {
	quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	switch operator {
	case "notContains":
		return "ISERROR(SEARCH(" + quoted + "," + cell + "))"
	case "beginsWith":
		return fmt.Sprintf("LEFT(%s,LEN(%s))=%s", cell, quoted, quoted)
	case "endsWith":
		return fmt.Sprintf("RIGHT(%s,LEN(%s))=%s", cell, quoted, quoted)
	}
	return "NOT(ISERROR(SEARCH(" + quoted + "," + cell + ")))"
}

// prefixed gives the names of all elements of a piece of XML a prefix.
func prefixed(prefix, xml string) string {
	if prefix == "" {
		return xml
	}
	return strings.ReplaceAll(strings.ReplaceAll(xml, "<", "<"+prefix), "<"+prefix+"/", "</"+prefix)
}

// addDxf adds a look for rules and gives its number.
func (p *stylePatch) addDxf(c *StyleChange) (int, error) {
	if err := p.load(); err != nil {
		return 0, err
	}
	xml := ""
	if c.Bold != nil || c.Italic != nil || c.Underline != nil || c.Strike != nil || c.Color != nil && *c.Color != "" {
		xml += "<font>"
		flag := func(name, off string, on *bool) {
			if on != nil && *on {
				xml += "<" + name + "/>"
			} else if on != nil {
				xml += "<" + name + ` val="` + off + `"/>`
			}
		}
		flag("b", "0", c.Bold)
		flag("i", "0", c.Italic)
		flag("strike", "0", c.Strike)
		flag("u", "none", c.Underline)
		if c.Color != nil && *c.Color != "" {
			xml += `<color rgb="FF` + *c.Color + `"/>`
		}
		xml += "</font>"
	}
	if c.NumberFormat != nil {
		xml += fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, 300+len(p.dxfs), escapeAttr(*c.NumberFormat))
	}
	if c.Fill != nil && *c.Fill != "" {
		xml += `<fill><patternFill patternType="solid"><fgColor rgb="FF` + *c.Fill + `"/><bgColor rgb="FF` + *c.Fill + `"/></patternFill></fill>`
	}
	if len(c.Border) > 0 {
		xml += "<border>"
		for _, side := range []string{"left", "right", "top", "bottom"} {
			line, ok := c.Border[side]
			if !ok || line.Style == "none" || line.Style == "" {
				xml += "<" + side + "/>"
				continue
			}
			color := `<color auto="1"/>`
			if line.Color != "" {
				color = `<color rgb="FF` + line.Color + `"/>`
			}
			xml += "<" + side + ` style="` + line.Style + `">` + color + "</" + side + ">"
		}
		xml += "</border>"
	}
	p.dxfs = append(p.dxfs, prefixed(p.prefix, "<dxf>"+xml+"</dxf>"))
	return p.hadDxfs + len(p.dxfs) - 1, nil
}
