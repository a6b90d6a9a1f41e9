package pdf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// papers are sizes in points, upright.
var papers = map[string][2]float64{
	"a3": {841.89, 1190.55}, "a4": {595.28, 841.89}, "a5": {419.53, 595.28}, "a6": {297.64, 419.53}, "b5": {498.9, 708.66},
	"letter": {612, 792}, "legal": {612, 1008}, "tabloid": {792, 1224}, "executive": {522, 756},
}

var measured = regexp.MustCompile(`^\s*([0-9.]+)\s*[x×*]\s*([0-9.]+)\s*(pt|mm|cm|in)?\s*$`)

// Pages are from a third of an inch to 200 inches, beyond which viewers give up.
const minPage, maxPage = 3, 14400

// paper is the size of a page: a name, or a width and a height. "" is none.
type paper string

var _ op.Variant = (*paper)(nil)

func (p *paper) Forms() ([]any, string) {
	return []any{"", []float64(nil)}, `a size such as "A4", "400x300" or [400, 300]`
}

func (p *paper) Take(value any) {
	list, ok := value.([]float64)
	switch {
	case !ok:
		*p = paper(value.(string))
	case len(list) == 2:
		*p = paper(strconv.FormatFloat(list[0], 'f', -1, 64) + "x" + strconv.FormatFloat(list[1], 'f', -1, 64))
	default:
		*p = paper(fmt.Sprint(list)) // which points refuses
	}
}

// points gives the width and the height in points.
func (p paper) points() (width, height float64, err error) {
	size := string(p)
	if p, ok := papers[strings.ToLower(strings.TrimSpace(size))]; ok {
		return p[0], p[1], nil
	}
	if m := measured.FindStringSubmatch(strings.ToLower(size)); m != nil {
		unit := map[string]float64{"": 1, "pt": 1, "mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72}[m[3]]
		width, _ = strconv.ParseFloat(m[1], 64)
		height, _ = strconv.ParseFloat(m[2], 64)
		width, height = width*unit, height*unit
		if width >= minPage && height >= minPage && width <= maxPage && height <= maxPage {
			return width, height, nil
		}
	}
	return 0, 0, problem.New(problem.InvalidArgument, "size: expected the name of a size, or width x height of %d to %d points, got %q", minPage, maxPage, size).
		WithHint("Use A3, A4, A5, A6, B5, Letter, Legal, Tabloid or Executive, or such as 400x300, [400, 300], 210x297mm or 8.5x11in.").With("argument", "size")
}

func oriented(width, height float64, orientation string) (float64, float64) {
	if orientation == "portrait" && width > height || orientation == "landscape" && width < height {
		return height, width
	}
	return width, height
}
