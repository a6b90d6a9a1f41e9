package numfmt

import (
	"math"
	"strconv"
	"strings"
)

func (s *section) render(v float64) string {
	switch {
	case s.date:
		return s.renderDate(v)
	case s.has(exponent):
		return s.renderScientific(v)
	case s.fractionAt() >= 0:
		return s.renderFraction(v)
	}
	return s.renderNumber(v)
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}

// decimals is a number of up to 15 digits, as Excel keeps them: 0.digits × 10^exp.
type decimals struct {
	digits string
	exp    int
}

func decimalsOf(v float64) decimals {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return decimals{}
	}
	text := strconv.FormatFloat(math.Abs(v), 'e', 14, 64)
	mantissa, exp, _ := strings.Cut(text, "e")
	n, _ := strconv.Atoi(exp)
	return decimals{strings.TrimRight(mantissa[:1]+mantissa[2:], "0"), n + 1}
}

// split gives the digits before and behind the point, rounded half up to places digits
// behind it. The part before has no leading zeros, that behind has none missing.
func (d decimals) split(places int) (whole, frac string) {
	keep := d.exp + places // digits that stay
	digits, exp := d.digits, d.exp
	switch {
	case keep < 0:
		digits = ""
	case keep < len(digits):
		up := digits[keep] >= '5'
		digits = digits[:keep]
		if up {
			b := []byte(digits)
			i := len(b) - 1
			for ; i >= 0 && b[i] == '9'; i-- {
				b[i] = '0'
			}
			if i >= 0 {
				b[i]++
				digits = string(b)
			} else {
				digits = "1" + string(b)
				exp++
			}
		}
	}
	switch {
	case digits == "":
	case exp <= 0:
		frac = strings.Repeat("0", -exp) + digits
	case exp >= len(digits):
		whole = digits + strings.Repeat("0", exp-len(digits))
	default:
		whole, frac = digits[:exp], digits[exp:]
	}
	if len(frac) < places {
		frac += strings.Repeat("0", places-len(frac))
	}
	return whole, frac[:places]
}

// renderNumber shows a number with placeholders before and behind the point, and
// literals anywhere between them.
func (s *section) renderNumber(v float64) string {
	shape := s.shape(0, len(s.tokens))
	for range shape.percents {
		v *= 100
	}
	for range shape.scale {
		v /= 1000
	}
	if shape.wholes+shape.places == 0 && s.has(generalValue) {
		return s.renderGeneral(v)
	}
	whole, frac := decimalsOf(v).split(shape.places)
	minus := sign(v)
	if shape.wholes+shape.places > 0 && strings.Trim(whole+frac, "0") == "" {
		minus = "" // what rounds to zero has no sign
	}
	return minus + s.place(0, len(s.tokens), whole, frac, shape)
}

func (s *section) renderGeneral(v float64) string {
	var out strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case generalValue:
			out.WriteString(formatGeneral(math.Abs(v)))
		default:
			out.WriteString(t.text)
		}
	}
	return sign(v) + out.String()
}

// shape counts what a run of tokens has.
type shape struct {
	wholes, places int // placeholders before and behind the point
	percents       int
	scale          int // commas behind the last placeholder: thousands
	grouped        bool
}

func (s *section) shape(from, to int) (sh shape) {
	behind, pending := false, 0
	for _, t := range s.tokens[from:to] {
		switch t.kind {
		case digit:
			if behind {
				sh.places++
			} else {
				if pending > 0 && sh.wholes > 0 {
					sh.grouped = true
				}
				sh.wholes++
			}
			pending = 0
		case comma:
			if sh.wholes+sh.places > 0 {
				pending++
			}
		case point:
			if !behind {
				sh.scale += pending
				pending = 0
			}
			behind = true
		case percent:
			sh.percents++
		}
	}
	sh.scale += pending
	return sh
}

// place fills the placeholders of tokens [from, to) with digits.
func (s *section) place(from, to int, whole, frac string, sh shape) string {
	// Before the point from right to left; the leftmost placeholder takes what is left.
	pointAt := to
	for i := from; i < to; i++ {
		if s.tokens[i].kind == point {
			pointAt = i
			break
		}
	}
	var left []string // in reverse
	seen, written := 0, 0
	put := func(c string) {
		if sh.grouped && written > 0 && written%3 == 0 && c != " " {
			left = append(left, ",")
		}
		left = append(left, c)
		written++
	}
	for i := pointAt - 1; i >= from; i-- {
		t := s.tokens[i]
		switch t.kind {
		case digit:
			seen++
			switch {
			case len(whole) > 0:
				put(whole[len(whole)-1:])
				whole = whole[:len(whole)-1]
			case t.text == "0":
				put("0")
			case t.text == "?":
				put(" ")
			}
			if seen == sh.wholes {
				for ; len(whole) > 0; whole = whole[:len(whole)-1] {
					put(whole[len(whole)-1:])
				}
			}
		case literal, percent:
			left = append(left, t.text)
		case slash:
			left = append(left, "/")
		}
	}
	var out strings.Builder
	for i := len(left) - 1; i >= 0; i-- {
		out.WriteString(left[i])
	}
	// With no placeholder before the point the whole part goes there all the same.
	if sh.wholes == 0 && sh.places > 0 {
		out.WriteString(whole)
	}
	zeros := len(frac) - len(strings.TrimRight(frac, "0"))
	k := 0
	for i := pointAt; i < to; i++ {
		t := s.tokens[i]
		switch t.kind {
		case point:
			if i == pointAt {
				out.WriteString(".")
			}
		case digit:
			if k >= len(frac) {
				continue
			}
			switch {
			case k < len(frac)-zeros || t.text == "0":
				out.WriteByte(frac[k])
			case t.text == "?":
				out.WriteString(" ")
			}
			k++
		case literal, percent:
			out.WriteString(t.text)
		case slash:
			out.WriteString("/")
		}
	}
	return out.String()
}

// renderScientific shows 0.00E+00 and, with more placeholders before the point,
// exponents that are multiples of their number.
func (s *section) renderScientific(v float64) string {
	at := 0
	for s.tokens[at].kind != exponent {
		at++
	}
	sh := s.shape(0, at)
	for range s.shape(0, len(s.tokens)).percents {
		v *= 100
	}
	step := max(sh.wholes, 1)
	exp := 0
	d := decimalsOf(v)
	if d.digits != "" {
		exp = floorTo(d.exp-1, step)
		whole, _ := decimals{d.digits, d.exp - exp}.split(sh.places)
		if len(whole) > step { // rounding carried over: 9.99 is 1.0E+1
			exp = floorTo(d.exp, step)
		}
	}
	whole, frac := decimals{d.digits, d.exp - exp}.split(sh.places)
	var out strings.Builder
	out.WriteString(sign(v))
	out.WriteString(s.place(0, at, whole, frac, sh))
	out.WriteString("E")
	if exp < 0 {
		out.WriteString("-")
	} else if s.tokens[at].text == "E+" {
		out.WriteString("+")
	}
	digits := strconv.Itoa(max(exp, -exp))
	tail := s.shape(at+1, len(s.tokens))
	out.WriteString(s.place(at+1, len(s.tokens), digits, "", tail))
	return out.String()
}

func floorTo(n, step int) int {
	return int(math.Floor(float64(n)/float64(step))) * step
}

// formatGeneral shows a number in at most 11 characters, as a cell without a format does.
func formatGeneral(v float64) string {
	a := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "#NUM!"
	case a >= 1e11 || a < 1e-4 && len(decimalsOf(v).digits)-decimalsOf(v).exp > 9:
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', 5, 64), "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return mantissa + "E" + exp
	}
	places := 9
	if d := decimalsOf(v); d.exp > 1 {
		places = max(10-d.exp, 0)
	}
	whole, frac := decimalsOf(v).split(places)
	if whole == "" {
		whole = "0"
	}
	if frac = strings.TrimRight(frac, "0"); frac != "" {
		whole += "." + frac
	}
	return sign(v) + whole
}
