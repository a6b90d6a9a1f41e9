package xlsx

import (
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// vml moves the comments and controls of a legacy drawing. Such parts are not always
// well-formed XML, so its shapes are taken as text.
func (f *follower) vml(text string) string {
	var out strings.Builder
	for {
		begin := strings.Index(text, "<v:shape ")
		if begin < 0 {
			out.WriteString(text)
			return out.String()
		}
		end := strings.Index(text[begin:], "</v:shape>")
		if end < 0 {
			out.WriteString(text)
			return out.String()
		}
		end += begin + len("</v:shape>")
		out.WriteString(text[:begin])
		out.WriteString(f.shape(text[begin:end]))
		text = text[end:]
	}
}

// shape handles one shape of a legacy drawing; "" if its comment is gone.
func (f *follower) shape(text string) string {
	row, rowOK := vmlNumber(text, "x:Row")
	col, colOK := vmlNumber(text, "x:Column")
	note := strings.Contains(text, `ObjectType="Note"`) && rowOK && colOK
	if note {
		at, ok := f.own.cell(sheet.Ref{Col: col + 1, Row: row + 1})
		if !ok {
			return ""
		}
		text = vmlSet(text, "x:Row", strconv.Itoa(at.Row-1))
		text = vmlSet(text, "x:Column", strconv.Itoa(at.Col-1))
	}
	if anchor, ok := vmlText(text, "x:Anchor"); ok {
		fields := strings.Split(anchor, ",")
		numbers := make([]int, len(fields))
		for i, s := range fields {
			numbers[i], _ = strconv.Atoi(strings.TrimSpace(s))
		}
		if len(numbers) == 8 {
			at := f.own.near(sheet.Ref{Col: numbers[0] + 1, Row: numbers[2] + 1})
			dc, dr := at.Col-1-numbers[0], at.Row-1-numbers[2]
			if dc != 0 || dr != 0 {
				numbers[0], numbers[4] = numbers[0]+dc, max(numbers[4]+dc, 0)
				numbers[2], numbers[6] = numbers[2]+dr, max(numbers[6]+dr, 0)
				for i, n := range numbers {
					fields[i] = strconv.Itoa(n)
				}
				text = vmlSet(text, "x:Anchor", strings.Join(fields, ", "))
			}
		}
	}
	for _, name := range []string{"x:FmlaLink", "x:FmlaRange", "x:FmlaTxbx", "x:FmlaGroup", "x:FmlaPict"} {
		if formula, ok := vmlText(text, name); ok {
			if now := f.moves.formula(formula, f.home); now != formula {
				text = vmlSet(text, name, now)
			}
		}
	}
	return text
}

func vmlText(text, name string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return "", false
	}
	value, _, ok := strings.Cut(rest, "</"+name+">")
	return string(unescape([]byte(value))), ok
}

func vmlNumber(text, name string) (int, bool) {
	value, ok := vmlText(text, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(value))
	return n, err == nil && n >= 0 && n < sheet.MaxRow
}

func vmlSet(text, name, value string) string {
	if old, _ := vmlText(text, name); strings.TrimSpace(old) == value {
		return text
	}
	before, rest, _ := strings.Cut(text, "<"+name+">")
	_, after, _ := strings.Cut(rest, "</"+name+">")
	return before + "<" + name + ">" + escapeText(value) + "</" + name + ">" + after
}
