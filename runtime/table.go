package runtime

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

const (
	tableRows    = 200
	tableColumns = 30
	tableCell    = 60
)

// table writes an array of rows as console.table does. What is not an array of objects or
// arrays is shown as inspect shows it.
func (i *isolate) table(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok || kindOfObject(o) != kindArray && kindOfObject(o) != kindObject {
		return i.inspect(v)
	}
	header := []string{"(index)"}
	rows := [][]string{}
	add := func(index string, row goja.Value) {
		cells := make([]string, len(header))
		cells[0] = index
		set := func(column string, value goja.Value) {
			at := slices.Index(header, column)
			if at < 0 {
				if len(header) >= tableColumns {
					return
				}
				at = len(header)
				header = append(header, column)
			}
			for len(cells) <= at {
				cells = append(cells, "")
			}
			cells[at] = i.cell(value)
		}
		object, ok := row.(*goja.Object)
		switch {
		case ok && kindOfObject(object) == kindArray:
			for index := range min(lengthOf(object), tableColumns) {
				set(strconv.FormatInt(index, 10), at(object, index))
			}
		case ok && kindOfObject(object) == kindObject:
			for _, key := range object.Keys() {
				set(key, object.Get(key))
			}
		default:
			set("Values", row)
		}
		rows = append(rows, cells)
	}
	if kindOfObject(o) == kindArray {
		for index := range min(lengthOf(o), tableRows) {
			add(strconv.FormatInt(index, 10), at(o, index))
		}
	} else {
		for _, key := range o.Keys() {
			if len(rows) >= tableRows {
				break
			}
			add(key, o.Get(key))
		}
	}
	return drawTable(header, rows)
}

func (i *isolate) cell(v goja.Value) string {
	text := i.inspect(v)
	if utf8.RuneCountInString(text) > tableCell {
		text = string([]rune(text)[:tableCell-1]) + "…"
	}
	return strings.ReplaceAll(text, "\n", " ")
}

func drawTable(header []string, rows [][]string) string {
	widths := make([]int, len(header))
	for at, name := range header {
		widths[at] = utf8.RuneCountInString(name)
	}
	for _, row := range rows {
		for at, cell := range row {
			widths[at] = max(widths[at], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(cells []string) {
		for at := range header {
			cell := ""
			if at < len(cells) {
				cell = cells[at]
			}
			b.WriteString("│ " + cell + strings.Repeat(" ", widths[at]-utf8.RuneCountInString(cell)) + " ")
		}
		b.WriteString("│\n")
	}
	rule := func(left, middle, right string) {
		for at, width := range widths {
			if at == 0 {
				b.WriteString(left)
			} else {
				b.WriteString(middle)
			}
			b.WriteString(strings.Repeat("─", width+2))
		}
		b.WriteString(right + "\n")
	}
	rule("┌", "┬", "┐")
	line(header)
	rule("├", "┼", "┤")
	for _, row := range rows {
		line(row)
	}
	rule("└", "┴", "┘")
	return strings.TrimSuffix(b.String(), "\n")
}
