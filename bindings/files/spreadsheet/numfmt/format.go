// Package numfmt reads number format codes of spreadsheets and gives numbers as a person
// sees them: 0.00, #,##0;[Red]-#,##0, yyyy-mm-dd, [h]:mm, # ?/?, 0.0E+0 and their like.
//
// A code has up to four sections: for positive numbers, negative ones, zero, and text;
// conditions in brackets may take the place of the first two. Names of months and days
// are English, separators are those of the United States. A code that makes no sense
// still gives a text. ECMA-376 part 1, 18.8.31, is the standard; where Excel does
// otherwise, Excel is followed.
//
// Written anew because github.com/xuri/nfp, the one library that takes codes apart,
// loses what stands in quotes, and none gives the text.
//
// Imports the standard library alone. Start reading at Parse.
package numfmt

import (
	"math"
	"strings"
)

// Format is a parsed code. It is safe for concurrent use.
type Format struct {
	numbers []section // one to three
	text    *section  // nil shows text as it is
	date    bool
}

// maxCode is the longest code that is looked at; Excel allows 255 characters.
const maxCode = 2000

// Parse reads a code. It never fails: what it does not know is shown as it stands.
func Parse(code string) *Format {
	if len(code) > maxCode {
		code = "General"
	}
	sections := split(code)
	f := &Format{}
	for i := range sections {
		s := &sections[i]
		if i == 3 || s.has(textValue) {
			if f.text == nil {
				f.text = s
			}
			if i == 3 || len(sections) > 1 || !s.numeric() {
				continue
			}
		}
		f.numbers = append(f.numbers, *s)
		f.date = f.date || s.date
	}
	if len(f.numbers) > 3 {
		f.numbers = f.numbers[:3]
	}
	return f
}

// Closed tells whether every quote, bracket and backslash of a code has what belongs to
// it. A spreadsheet program takes a code for damage otherwise.
func Closed(code string) bool {
	for i := 0; i < len(code); i++ {
		end := byte(0)
		switch code[i] {
		case '"':
			end = '"'
		case '[':
			end = ']'
		case '\\', '_', '*':
			if i++; i == len(code) {
				return false
			}
		}
		if end != 0 {
			n := strings.IndexByte(code[i+1:], end)
			if n < 0 {
				return false
			}
			i += n + 1
		}
	}
	return true
}

// IsDate tells whether numbers are shown as dates, times or elapsed times.
func (f *Format) IsDate() bool { return f.date }

// Number gives a number's text. A date is a serial of the 1900 date system.
func (f *Format) Number(v float64) string {
	if len(f.numbers) == 0 { // only text has a section: numbers are General within it
		if f.text != nil && f.text.has(textValue) {
			return f.Text(formatGeneral(v))
		}
		return formatGeneral(v)
	}
	s, bare := f.choose(v)
	if s == nil && len(f.numbers) == 1 {
		return formatGeneral(v)
	}
	if s == nil {
		return "########"
	}
	if bare {
		v = math.Abs(v)
	}
	return s.render(v)
}

// Text gives a text's text.
func (f *Format) Text(text string) string {
	if f.text == nil {
		return text
	}
	var out strings.Builder
	for _, t := range f.text.tokens {
		switch t.kind {
		case literal:
			out.WriteString(t.text)
		case textValue, generalValue:
			out.WriteString(text)
		}
	}
	return out.String()
}

// choose picks the section for a number, nil if none takes it; bare says that the
// section itself tells that the number is negative.
func (f *Format) choose(v float64) (s *section, bare bool) {
	list := f.numbers
	conditional := list[0].cond.op != "" || len(list) > 1 && list[1].cond.op != ""
	if !conditional {
		switch {
		case len(list) == 1:
			return &list[0], false
		case v < 0:
			return &list[1], true
		case v == 0 && len(list) == 3:
			return &list[2], false
		}
		return &list[0], false
	}
	for i := range list {
		c := list[i].cond
		if c.op == "" && i == 0 { // a second section with a condition leaves the positive to the first
			c = condition{">", 0}
		}
		if c.op == "" && i == 1 && len(list) == 3 {
			c = condition{"<", 0}
		}
		if c.op == "" || c.holds(v) {
			// A section with a condition keeps the sign; one for what is left behind the
			// positive numbers is for negative ones.
			first := list[0].cond
			bare = c.op == "" && i == 1 && (first.op == ">" || first.op == ">=") && first.limit <= 0
			return &list[i], bare
		}
	}
	return nil, false
}

type condition struct {
	op    string // "" if there is none
	limit float64
}

func (c condition) holds(v float64) bool {
	switch c.op {
	case "<":
		return v < c.limit
	case "<=":
		return v <= c.limit
	case ">":
		return v > c.limit
	case ">=":
		return v >= c.limit
	case "<>":
		return v != c.limit
	}
	return v == c.limit
}
