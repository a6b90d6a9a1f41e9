package table_test

import (
	"reflect"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/table"
)

// Rows that level lines divide were taken line by line, so that a cell of two lines became
// two rows, and columns that are closer than usual became one.
func TestRowsBetweenLevelLines(t *testing.T) {
	words := []table.Word{
		word(0, 102, "Pos"), word(25, 102, "Text"), word(130, 102, "Qty"), word(180, 102, "Sum"),
		word(10, 87, "1"), word(25, 87, "several"), word(63, 87, "words"), word(140, 87, "3"), word(170, 87, "1,200"),
		word(25, 75, "more"), word(190, 75, "€"),
		word(10, 57, "2"), word(25, 57, "few"), word(140, 57, "1"), word(175, 57, "90"), word(190, 57, "€"),
		word(25, 42, "The"), word(43, 42, "total"), word(71, 42, "of"), word(84, 42, "all"), word(102, 42, "that"), word(125, 42, "is"), word(138, 42, "due"), word(175, 42, "1,290"),
		word(0, 20, "A line of prose, below."),
	}
	words = append(words, word(0, 130, "Words"), word(28, 130, "above"), word(56, 130, "it."))
	rules := []table.Box{level(0, 200, 115), level(0, 200, 100), level(0, 200, 72), level(0, 200, 55), level(0, 200, 40)}
	want := [][]string{{"Pos", "Text", "Qty", "Sum"}, {"1", "several words\nmore", "3", "1,200\n€"}, {"2", "few", "1", "90 €"}, {"", "The total of all that is due", "", "1,290"}}
	for what, lines := range map[string][]table.Box{"a line above the head": rules, "none": rules[1:]} {
		got := table.Find(words, lines)
		if len(got) != 1 || !reflect.DeepEqual(got[0].Rows, want) || got[0].Ruled {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// Lines between paragraphs are no table, and one of them among rows ends it.
func TestLinesBetweenParagraphs(t *testing.T) {
	var words []table.Word
	var rules []table.Box
	for y := 200.0; y > 0; y -= 20 {
		rules = append(rules, level(0, 200, y))
		for x := 0.0; x < 180; x += 28 {
			words = append(words, word(x, y-14, "words"))
		}
	}
	if got := table.Find(words, rules); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
