package lang

import (
	"math/big"
	"strconv"
	"strings"
)

// decimal is a number as written: 0.digits × 10^exp, without leading or trailing zeros.
// Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exp      int
	special  string // "nan" or "infinity"
}

// decimalOf reads what strconv or a BigInt writes: [-]digits[.digits][e±n].
func decimalOf(text string) (decimal, bool) {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if !d.negative {
		text = strings.TrimPrefix(text, "+")
	}
	switch text {
	case "NaN":
		return decimal{special: "nan"}, true
	case "Inf", "Infinity":
		d.special = "infinity"
		return d, true
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	exp := 0
	if hasExponent {
		n, err := strconv.Atoi(exponent)
		if err != nil {
			return d, false
		}
		exp = n
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	if integer+fraction == "" || strings.Trim(integer+fraction, "0123456789") != "" {
		return d, false
	}
	digits := strings.TrimLeft(integer, "0")
	d.exp = len(digits) + exp
	if digits == "" {
		trimmed := strings.TrimLeft(fraction, "0")
		d.exp = exp - (len(fraction) - len(trimmed))
		fraction = trimmed
	}
	d.digits = strings.TrimRight(digits+fraction, "0")
	return d, true
}

func decimalFloat(f float64) decimal {
	d, _ := decimalOf(strconv.FormatFloat(f, 'e', -1, 64))
	return d
}

func decimalBig(n *big.Int) decimal {
	d, _ := decimalOf(n.String())
	return d
}

func (d decimal) zero() bool { return d.digits == "" && d.special == "" }

// magnitude is the power of ten of the first digit; 0 for zero.
func (d decimal) magnitude() int {
	if d.digits == "" {
		return 0
	}
	return d.exp - 1
}

// shift multiplies by 10^n.
func (d decimal) shift(n int) decimal {
	d.exp += n
	return d
}

// round leaves at most so many digits after the decimal point; a negative number rounds
// before it.
func (d decimal) round(fraction int, mode string) decimal {
	keep := d.exp + fraction // digits that stay
	if d.special != "" || keep >= len(d.digits) {
		return d
	}
	dropped := d.digits
	kept := ""
	if keep > 0 {
		kept, dropped = d.digits[:keep], d.digits[keep:]
	}
	half := compareHalf(dropped, keep)
	odd := kept != "" && (kept[len(kept)-1]-'0')%2 == 1
	if !roundsUp(mode, d.negative, half, odd) {
		d.digits = strings.TrimRight(kept, "0")
		return d
	}
	if keep <= 0 {
		d.digits, d.exp = "1", 1-fraction
		return d
	}
	raised := []byte(kept)
	i := len(raised) - 1
	for ; i >= 0 && raised[i] == '9'; i-- {
	}
	if i < 0 {
		d.digits, d.exp = "1", d.exp+1
		return d
	}
	raised[i]++
	d.digits = string(raised[:i+1])
	return d
}

// compareHalf compares what is dropped with half a unit of the last kept place: -1, 0, 1.
func compareHalf(dropped string, keep int) int {
	switch {
	case keep < 0: // zeros stand before it
		return -1
	case dropped[0] > '5', dropped[0] == '5' && len(dropped) > 1:
		return 1
	case dropped[0] == '5':
		return 0
	}
	return -1
}

// roundsUp tells whether a dropped rest, which is not zero, moves the last digit away from
// zero.
func roundsUp(mode string, negative bool, half int, odd bool) bool {
	switch mode {
	case "ceil":
		return !negative
	case "floor":
		return negative
	case "expand":
		return true
	case "trunc":
		return false
	}
	if half != 0 {
		return half > 0
	}
	switch mode {
	case "halfCeil":
		return !negative
	case "halfFloor":
		return negative
	case "halfTrunc":
		return false
	case "halfEven":
		return odd
	}
	return true // halfExpand
}

// written gives the digits before and after the decimal point, with at least so many of
// each.
func (d decimal) written(minInteger, minFraction int) (integer, fraction string) {
	switch {
	case d.digits == "":
	case d.exp <= 0:
		fraction = strings.Repeat("0", -d.exp) + d.digits
	case d.exp >= len(d.digits):
		integer = d.digits + strings.Repeat("0", d.exp-len(d.digits))
	default:
		integer, fraction = d.digits[:d.exp], d.digits[d.exp:]
	}
	if n := minInteger - len(integer); n > 0 {
		integer = strings.Repeat("0", n) + integer
	}
	if n := minFraction - len(fraction); n > 0 {
		fraction += strings.Repeat("0", n)
	}
	return integer, fraction
}
