package csvfile

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Typed gives the value that a cell's text stands for.
func (d Dialect) Typed(text string) sheet.Value {
	return d.typed([]byte(text), func([]byte) string { return text })
}

// typed is Typed of bytes; keep makes a string of them where they are a text.
func (d Dialect) typed(text []byte, keep func([]byte) string) sheet.Value {
	if len(text) == 0 {
		return sheet.Value{}
	}
	if c := text[0]; c == '-' || '0' <= c && c <= '9' || c == ' ' || c == '.' || c == ',' {
		if n, ok := d.number(text); ok {
			return sheet.Num(n)
		}
	} else if len(text) <= 5 {
		switch string(text) {
		case "TRUE", "true", "True":
			return sheet.Boolean(true)
		case "FALSE", "false", "False":
			return sheet.Boolean(false)
		}
	}
	return sheet.Str(keep(text))
}

// number reads a decimal number, also one whose thousands are grouped and that has
// decimals, such as 1,234.50 (or 1.234,50 where commas are decimal): without decimals it
// may be either. It is none if it has leading zeros or more than 15
// digits, which a number would lose; an exponent counts only beside a point or with a
// sign, since 12E3 is more often a code.
func (d Dialect) number(text []byte) (float64, bool) {
	text = bytes.Trim(text, " ")
	group, mark := byte(','), byte('.')
	if d.DecimalComma {
		group, mark = mark, group
	}
	if plain, ok := ungrouped(text, group, mark); ok {
		text = plain
	}
	mark = '.'
	if d.DecimalComma && bytes.IndexByte(text, '.') < 0 {
		mark = ','
	}
	i, neg := 0, len(text) > 0 && text[0] == '-'
	if neg {
		i++
	}
	first := i
	var mantissa int64
	whole, frac, digits, point := 0, 0, 0, false
loop:
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case '0' <= c && c <= '9':
			if digits++; digits > 40 {
				return 0, false
			}
			if mantissa < 1e17 {
				mantissa = mantissa*10 + int64(c-'0')
			}
			if point {
				frac++
			} else {
				whole++
			}
		case c == mark && !point:
			point = true
		default:
			break loop
		}
	}
	if digits == 0 || whole > 1 && text[first] == '0' || point && frac == 0 {
		return 0, false
	}
	if i < len(text) {
		return exponential(text, i, point)
	}
	if mantissa >= 1e15 || mantissa == 0 && neg || frac >= len(pow10) {
		return 0, false
	}
	// Both are exact, so that the quotient is rounded once.
	n := float64(mantissa) / pow10[frac]
	if neg {
		n = -n
	}
	return n, true
}

// ungrouped takes the separators of thousands out of a number with decimals; false if it
// has none, or not where they belong.
func ungrouped(text []byte, group, mark byte) ([]byte, bool) {
	point := bytes.IndexByte(text, mark)
	if point < 0 || bytes.IndexByte(text[:point], group) < 0 {
		return nil, false
	}
	plain := make([]byte, 0, len(text))
	for i, part := range bytes.Split(text[:point], []byte{group}) {
		digits := bytes.TrimPrefix(part, []byte("-"))
		if len(digits) == 0 || len(digits) > 3 || i > 0 && len(part) < 3 || i > 0 && len(digits) < len(part) || len(bytes.Trim(digits, "0123456789")) > 0 {
			return nil, false
		}
		plain = append(plain, part...)
	}
	return append(plain, text[point:]...), true
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// exponential reads a number whose digits end at i with an exponent.
func exponential(text []byte, i int, point bool) (float64, bool) {
	tail := text[i+1:]
	signed := len(tail) > 0 && (tail[0] == '+' || tail[0] == '-')
	if signed {
		tail = tail[1:]
	}
	if text[i]|0x20 != 'e' || !signed && !point || len(tail) == 0 || len(tail) > 3 || len(bytes.Trim(tail, "0123456789")) > 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(bytes.Replace(text, []byte(","), []byte("."), 1)), 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// Format gives the text by which a value is written.
func (d Dialect) Format(v sheet.Value) string {
	text := v.Plain()
	if v.Kind == sheet.Date {
		// What has no time of day is a day.
		text = strings.TrimSuffix(text, "T00:00:00.000Z")
	}
	if d.DecimalComma && v.Kind == sheet.Number {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
