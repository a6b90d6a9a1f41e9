package table_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/table"
)

func word(x, y float64, text string) table.Word {
	return table.Word{Text: text, Box: table.Box{X1: x, Y1: y, X2: x + 5*float64(len(text)), Y2: y + 10}, Size: 10}
}

func level(x1, x2, y float64) table.Box   { return table.Box{X1: x1, Y1: y, X2: x2, Y2: y} }
func upright(x, y1, y2 float64) table.Box { return table.Box{X1: x, Y1: y1, X2: x, Y2: y2} }

// A heading over two columns belongs to the first of them.
func TestMergedCells(t *testing.T) {
	rules := []table.Box{level(0, 200, 0), level(0, 200, 20), level(0, 200, 40), upright(0, 0, 40), upright(100, 0, 20), upright(200, 0, 40)}
	words := []table.Word{word(80, 25, "Both"), word(10, 5, "left"), word(110, 5, "right")}
	got := table.Find(words, rules)
	want := [][]string{{"Both", ""}, {"left", "right"}}
	if len(got) != 1 || !reflect.DeepEqual(got[0].Rows, want) {
		t.Errorf("%+v", got)
	}
}

// Lines that are drawn cell by cell, twice, or thick are still one grid.
func TestPiecesOfLines(t *testing.T) {
	var rules []table.Box
	for y := 0.0; y <= 40; y += 20 {
		for x := 0.0; x < 200; x += 100 {
			rules = append(rules, level(x, x+99.5, y), level(x, x+99.5, y+0.8))
		}
	}
	for x := 0.0; x <= 200; x += 100 {
		rules = append(rules, upright(x, 0, 20), upright(x+1, 20, 40))
	}
	words := []table.Word{word(10, 25, "a"), word(110, 25, "b"), word(10, 5, "c"), word(110, 5, "d")}
	got := table.Find(words, rules)
	if len(got) != 1 || !got[0].Ruled || !reflect.DeepEqual(got[0].Rows, [][]string{{"a", "b"}, {"c", "d"}}) {
		t.Errorf("%+v", got)
	}
}

// A cell of two lines is one cell, in either kind of table.
func TestLinesOfACell(t *testing.T) {
	words := []table.Word{
		word(0, 100, "Name"), word(100, 100, "Role"),
		word(0, 85, "Ada"), word(100, 85, "writes"), word(133, 85, "programs"),
		word(0, 70, "Bob"), word(100, 70, "reads"),
	}
	got := table.Find(words, nil)
	if len(got) != 1 || !reflect.DeepEqual(got[0].Rows, [][]string{{"Name", "Role"}, {"Ada", "writes programs"}, {"Bob", "reads"}}) {
		t.Errorf("%+v", got)
	}
}

func TestFrameIsNoTable(t *testing.T) {
	rules := []table.Box{level(0, 200, 0), level(0, 200, 100), upright(0, 0, 100), upright(200, 0, 100)}
	if got := table.Find([]table.Word{word(10, 50, "framed"), word(50, 50, "text")}, rules); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Whatever is on a page, rows are of equal length, and no word is there twice.
func TestAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var words []table.Word
		var rules []table.Box
		for range random.IntN(60) {
			words = append(words, word(float64(random.IntN(8)*60), float64(random.IntN(12)*14), "w"))
		}
		for range random.IntN(40) {
			x, y := float64(random.IntN(8)*60), float64(random.IntN(12)*14)
			if random.IntN(2) == 0 {
				rules = append(rules, level(x, x+float64(random.IntN(300)), y))
			} else {
				rules = append(rules, upright(x, y, y+float64(random.IntN(200))))
			}
		}
		count := 0
		for _, found := range table.Find(words, rules) {
			for _, row := range found.Rows {
				if len(row) != len(found.Rows[0]) {
					t.Fatalf("rows of %d and %d cells", len(row), len(found.Rows[0]))
				}
				for _, cell := range row {
					for _, c := range cell {
						if c == 'w' {
							count++
						}
					}
				}
			}
		}
		if count > len(words) {
			t.Fatalf("%d words became %d", len(words), count)
		}
	}
}
