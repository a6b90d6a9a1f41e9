package spreadsheet

import (
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

func TestGuessHeader(t *testing.T) {
	day := func(serial float64) sheet.Value { return sheet.Serial(serial) }
	total := sheet.Value{} // of a formula without a result
	for _, c := range []struct {
		name string
		rows [][]any
		want int
	}{
		{"texts", [][]any{{"Item", "Qty"}, {"x", 1}}, 0},
		{"texts over texts", [][]any{{"Name", "City"}, {"Ada", "London"}}, 0},
		{"a title", [][]any{{"Report"}, {"Item", "Qty"}, {"x", 1}}, 1},
		{"a name twice", [][]any{{"Item", "Total", "Total"}, {"x", 1, 2}}, 0},
		{"groups", [][]any{{"Item", "Plan", "Actual", "Plan", "Actual"}, {"x", 1, 2, 3, 4}}, 0},
		{"rows of texts alike", [][]any{{"x", "yes", "yes"}, {"y", "yes", "no"}}, -1},
		{"years", [][]any{{"Item", 2023, 2024}, {"x", 2000, 7.5}, {"y", 10, 20}}, 0},
		{"months", [][]any{{"Item", day(45292), day(45323)}, {"x", 1, 2}}, 0},
		{"years of birth", [][]any{{"Ada", 1915}, {"Grace", 1906}, {"Alan", 1912}}, -1},
		{"days and amounts", [][]any{{"x", day(45292), 5}, {"y", day(45293), 6}}, -1},
		{"years alone", [][]any{{2023, 2024}, {1, 2}}, -1},
		{"amounts", [][]any{{"x", 5}, {"y", 6}}, -1},
		{"a total beside", [][]any{{"Item", "Qty", nil, nil, "Total", total}, {"x", 1}, {"y", 2}}, 0},
		{"a total beside rows", [][]any{{"x", 1, nil, nil, "Total", 3}, {"y", 2}}, -1},
		{"a key of a report", [][]any{{"Period:", "March", nil, nil, "Page 1"}, {"x"}, {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, 2},
		{"a key and a table", [][]any{{"Rate", 5, nil, nil, "Item", "Qty"}, {"x", 1}}, -1},
	} {
		var rows []line
		width := 0
		for r, values := range c.rows {
			l := line{row: r + 1}
			for i, v := range values {
				cell := sheet.Cell{Col: int32(i + 1)}
				switch v := v.(type) {
				case nil:
					continue
				case string:
					cell.Value = sheet.Str(v)
				case int:
					cell.Value = sheet.Num(float64(v))
				case float64:
					cell.Value = sheet.Num(v)
				case sheet.Value:
					cell.Value, cell.Formula = v, v.IsEmpty()
				}
				l.cells = append(l.cells, cell)
				width = max(width, i+1)
			}
			rows = append(rows, l)
		}
		if got := guessHeader(rows, width); got != c.want {
			t.Errorf("%s: row %d, want %d", c.name, got, c.want)
		}
	}
}
