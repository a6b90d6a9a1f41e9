package sheet

import (
	"math"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// The size of a worksheet in Excel.
const (
	MaxRow = 1_048_576
	MaxCol = 16_384
)

// Unbounded is the last row or column of a range that has none, such as A:C. It is
// beyond those of any sheet; csv files may have more rows than MaxRow.
const Unbounded = math.MaxInt32

// Ref is a cell's place, counted from 1.
type Ref struct{ Col, Row int }

// Range is a rectangle of cells, both corners included, counted from 1.
type Range struct{ MinCol, MinRow, MaxCol, MaxRow int }

// All is every cell of a sheet.
func All() Range { return Range{1, 1, Unbounded, Unbounded} }

// Contains tells whether a cell lies in the range.
func (r Range) Contains(at Ref) bool {
	return r.MinCol <= at.Col && at.Col <= r.MaxCol && r.MinRow <= at.Row && at.Row <= r.MaxRow
}

// Overlap gives the cells that lie in both ranges, and whether there are any.
func (r Range) Overlap(o Range) (Range, bool) {
	both := Range{max(r.MinCol, o.MinCol), max(r.MinRow, o.MinRow), min(r.MaxCol, o.MaxCol), min(r.MaxRow, o.MaxRow)}
	return both, both.MinCol <= both.MaxCol && both.MinRow <= both.MaxRow
}

// Rows and Cols count the range's rows and columns.
func (r Range) Rows() int { return r.MaxRow - r.MinRow + 1 }
func (r Range) Cols() int { return r.MaxCol - r.MinCol + 1 }

// Include grows the range by a cell; that of a zero Range is the cell alone.
func (r *Range) Include(col, row int) {
	if r.MinRow == 0 {
		*r = Range{col, row, col, row}
		return
	}
	r.MinCol, r.MaxCol = min(r.MinCol, col), max(r.MaxCol, col)
	r.MinRow, r.MaxRow = min(r.MinRow, row), max(r.MaxRow, row)
}

// String is the range in A1 notation: A1:D50, B2, A:C, 1:5, or "" for All.
func (r Range) String() string {
	switch {
	case r == All():
		return ""
	case r.MinRow == 1 && r.MaxRow == Unbounded:
		return ColName(r.MinCol) + ":" + ColName(r.MaxCol)
	case r.MinCol == 1 && r.MaxCol == Unbounded:
		return strconv.Itoa(r.MinRow) + ":" + strconv.Itoa(r.MaxRow)
	case r.MinCol == r.MaxCol && r.MinRow == r.MaxRow:
		return Ref{r.MinCol, r.MinRow}.String()
	}
	return Ref{r.MinCol, r.MinRow}.String() + ":" + Ref{r.MaxCol, r.MaxRow}.String()
}

// String is the cell in A1 notation.
func (at Ref) String() string { return ColName(at.Col) + strconv.Itoa(at.Row) }

// ColName gives a column's letters: A for 1, XFD for 16384.
func ColName(col int) string {
	var buf [8]byte
	i := len(buf)
	for col > 0 && i > 0 {
		i--
		buf[i] = byte('A' + (col-1)%26)
		col = (col - 1) / 26
	}
	return string(buf[i:])
}

// ParseRef reads a cell in A1 notation; $ signs and lower case are allowed.
func ParseRef(s string) (Ref, error) {
	text := strings.TrimSpace(s)
	col, row, rest := corner(text)
	if rest != "" || col == 0 || row == 0 {
		return Ref{}, badRef("cell", s, `a cell such as "B2"`)
	}
	return Ref{col, row}, nil
}

// ParseRange reads a range in A1 notation: A1:D50 (corners in any order), B2, A:C, 1:5,
// A5:C (from row 5 down), and "" for the whole sheet. $ signs and lower case are allowed.
func ParseRange(s string) (Range, error) {
	text := strings.TrimSpace(s)
	if text == "" {
		return All(), nil
	}
	from, to, isRange := strings.Cut(text, ":")
	c1, r1, rest1 := corner(from)
	c2, r2, rest2 := c1, r1, ""
	if isRange {
		c2, r2, rest2 = corner(to)
	}
	whole := c1 == 0 && c2 == 0 && r1 > 0 && r2 > 0 // 1:5
	open := c1 > 0 && c2 > 0 && r2 == 0             // A:C, A5:C
	if rest1 != "" || rest2 != "" || !isRange && (c1 == 0 || r1 == 0) ||
		isRange && !whole && !open && (c1 == 0 || c2 == 0 || r1 == 0 || r2 == 0) {
		return Range{}, badRef("range", s, `a range such as "A1:D50", "B2", "A:C" or "1:5"`)
	}
	switch {
	case whole:
		c1, c2 = 1, Unbounded
	case open:
		r1, r2 = max(r1, 1), Unbounded
	}
	return Range{min(c1, c2), min(r1, r2), max(c1, c2), max(r1, r2)}, nil
}

// ParseQualified reads a range that may name its sheet: Sheet1!A1:B2, 'My Sheet'!A1.
// Without one, name is "".
func ParseQualified(s string) (name string, r Range, err error) {
	text := strings.TrimSpace(s)
	if strings.HasPrefix(text, "'") {
		for i := 1; i < len(text); i++ {
			if text[i] != '\'' {
				continue
			}
			if i+1 < len(text) && text[i+1] == '\'' { // a quote within the name is doubled
				i++
				continue
			}
			if i+1 < len(text) && text[i+1] == '!' {
				r, err = ParseRange(text[i+2:])
				return strings.ReplaceAll(text[1:i], "''", "'"), r, err
			}
			break
		}
		return "", Range{}, badRef("range", s, `a quoted sheet name as in "'My Sheet'!A1:B2"`)
	}
	if i := strings.LastIndexByte(text, '!'); i >= 0 {
		r, err = ParseRange(text[i+1:])
		return text[:i], r, err
	}
	r, err = ParseRange(text)
	return "", r, err
}

// corner reads [$]letters[$]digits, either of which may be missing; rest is what is left
// over, or all of it if a number is too large for any sheet.
func corner(s string) (col, row int, rest string) {
	i := 0
	s = strings.TrimSpace(s)
	skip := func() {
		if i < len(s) && s[i] == '$' {
			i++
		}
	}
	skip()
	for ; i < len(s) && isLetter(s[i]); i++ {
		col = col*26 + int(s[i]|0x20-'a') + 1
		if col > MaxCol {
			return 0, 0, s
		}
	}
	if i > 0 && i < len(s) && isLetter(s[i-1]) {
		skip()
	}
	digits := i
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		row = row*10 + int(s[i]-'0')
		if row > 999_999_999 {
			return 0, 0, s
		}
	}
	if i > digits && row == 0 || i == 0 || s[i-1] == '$' {
		return 0, 0, s + "?"
	}
	return col, row, s[i:]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func badRef(argument, got, want string) error {
	hint := "Columns go from A to XFD; rows count from 1."
	if strings.Contains(got, "!") {
		hint = "Leave the sheet's name and the ! out: the sheet is an argument of its own."
	}
	if len(got) > 60 {
		got = got[:60] + "…"
	}
	return problem.New(problem.InvalidArgument, "%s: expected %s, got %q", argument, want, got).
		WithHint("%s", hint).With("argument", argument)
}
