package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// fractionAt gives where the slash of a fraction stands, -1 if the section is none.
func (s *section) fractionAt() int {
	for i, t := range s.tokens {
		if t.kind != slash || i == 0 || i+1 >= len(s.tokens) {
			continue
		}
		next := s.tokens[i+1]
		fixed := next.kind == literal && len(next.text) == 1 && '1' <= next.text[0] && next.text[0] <= '9'
		if s.tokens[i-1].kind == digit && (next.kind == digit || fixed) {
			return i
		}
	}
	return -1
}

// renderFraction shows # ?/?, # ??/?? and, with a number below the line, # ?/16.
func (s *section) renderFraction(v float64) string {
	at := s.fractionAt()
	num := at // the numerator's placeholders are those right before the slash
	for num > 0 && s.tokens[num-1].kind == digit {
		num--
	}
	end := at + 1
	fixed := ""
	for ; end < len(s.tokens); end++ {
		t := s.tokens[end]
		if t.kind == literal && len(t.text) == 1 && '0' <= t.text[0] && t.text[0] <= '9' || t.kind == digit && fixed != "" {
			fixed += t.text
		} else if t.kind != digit || fixed != "" {
			break
		}
	}
	lead := s.shape(0, num)
	for range s.shape(0, len(s.tokens)).percents {
		v *= 100
	}
	a := math.Abs(v)
	whole := 0.0
	if lead.wholes > 0 {
		whole = math.Floor(a)
		a -= whole
	}
	var top, bottom float64
	if fixed != "" {
		bottom, _ = strconv.ParseFloat(fixed, 64)
		bottom = max(bottom, 1)
		top = math.Round(a * bottom)
	} else {
		top, bottom = rational(a, math.Pow10(min(end-at-1, 7))-1)
	}
	if lead.wholes > 0 && top == bottom {
		whole, top = whole+1, 0
	}
	var out strings.Builder
	if v < 0 && (whole > 0 || top > 0) {
		out.WriteString("-")
	}
	digits := strconv.FormatFloat(whole, 'f', 0, 64)
	if whole == 0 && (top > 0 || lead.wholes == 0) {
		digits = ""
	}
	out.WriteString(s.place(0, num, digits, "", lead))
	if top == 0 && lead.wholes > 0 {
		out.WriteString(strings.Repeat(" ", end-num))
	} else {
		out.WriteString(padLeft(top, at-num))
		out.WriteString("/")
		if fixed != "" {
			out.WriteString(fixed)
		} else {
			text := strconv.FormatFloat(bottom, 'f', 0, 64)
			out.WriteString(text + strings.Repeat(" ", max(0, end-at-1-len(text))))
		}
	}
	out.WriteString(s.place(end, len(s.tokens), "", "", shape{}))
	return out.String()
}

func padLeft(n float64, width int) string {
	text := strconv.FormatFloat(n, 'f', 0, 64)
	return strings.Repeat(" ", max(0, width-len(text))) + text
}

// rational gives v ≥ 0 as a fraction with a denominator of at most most: the last
// convergent of its continued fraction that has one, as Excel does. It is not always
// the nearest: π in two digits is 3 1/7, though 3 14/99 would be closer.
func rational(v, most float64) (top, bottom float64) {
	if v > 1e15 {
		return v, 1
	}
	p0, q0, p1, q1 := 0.0, 1.0, 1.0, 0.0
	x := v
	for range 64 {
		a := math.Floor(x)
		p2, q2 := a*p1+p0, a*q1+q0
		if q2 > most {
			break
		}
		p0, q0, p1, q1 = p1, q1, p2, q2
		if x-a < 1e-9 {
			break
		}
		x = 1 / (x - a)
	}
	return p1, q1
}
