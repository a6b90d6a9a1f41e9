package layout

import (
	"fmt"
	"testing"
)

// Amounts were broken in two, since a long text beside them took a part of their columns.
func TestColumnsThatNeedLittleGetIt(t *testing.T) {
	for _, c := range []struct {
		what        string
		most, least []float64
		want        string
	}{
		{"all fits", []float64{10, 20}, []float64{5, 5}, "[12 22]"},
		{"a paragraph gives way", []float64{10, 300, 30}, []float64{10, 20, 15}, "[12 56 32]"},
		{"two share what is left", []float64{200, 20, 200}, []float64{20, 10, 20}, "[39 22 39]"},
		{"a long word keeps its width", []float64{200, 40, 20}, []float64{60, 10, 10}, "[65 13 22]"},
		{"not even the words fit", []float64{200, 200}, []float64{98, 98}, "[50 50]"},
	} {
		got := columnWidths(c.most, c.least, 100, 2)
		if fmt.Sprintf("%.0f", got) != c.want {
			t.Errorf("%s: %.1f, want %s", c.what, got, c.want)
		}
	}
}
