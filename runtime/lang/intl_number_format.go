package lang

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// maxExponent bounds numbers given as text: "1e999999999" would be a gigabyte of zeros.
const maxExponent = 10_000

// numeric gives a value as the mathematical value that is formatted: a string and a BigInt
// keep all their digits.
func (r *realm) numeric(v goja.Value) decimal {
	if object, ok := v.(*goja.Object); ok {
		v = r.primitive(object)
	}
	switch {
	case v == nil:
		return decimal{special: "nan"}
	case goja.IsBigInt(v):
		return decimalBig(v.Export().(*big.Int))
	case goja.IsString(v):
		text := strings.TrimSpace(v.String())
		if d, ok := decimalOf(text); ok && text != "NaN" && text != "Inf" && text != "-Inf" && text != "+Inf" && d.exp < maxExponent && d.exp > -maxExponent {
			return d
		}
	}
	if _, ok := v.(*goja.Symbol); ok {
		panic(r.typeError("Cannot convert a Symbol value to a number"))
	}
	return decimalFloat(v.ToFloat())
}

func (r *realm) primitive(object *goja.Object) goja.Value {
	return r.call(r.intrinsic("Number"), goja.Undefined(), object)
}

func (f *numberFormat) format(d decimal) string { return joinParts(f.parts(d)) }

// parts formats a number.
func (f *numberFormat) parts(d decimal) []part {
	if f.style == "percent" {
		d = d.shift(2)
	}
	var number []part
	category := "other"
	switch d.special {
	case "nan":
		number = []part{{"nan", f.data.Numbers.Symbols.Nan}}
	case "infinity":
		number = []part{{"infinity", f.data.Numbers.Symbols.Infinity}}
	default:
		number, category, d = f.number(d)
	}
	sign := f.sign(d)
	switch f.style {
	case "percent":
		return f.signed(f.data.Numbers.Percent, sign, number, "")
	case "currency":
		return f.currencyParts(sign, number, category)
	case "unit":
		width := map[string]int{"short": 0, "long": 1, "narrow": 2}[f.unitDisplay]
		kind := "unit"
		if f.unit == "percent" {
			kind = "percentSign"
		}
		return f.wrapped(f.data.Numbers.Units[f.unit][width].of(category), kind, sign, number)
	}
	return append(f.signParts(sign), number...)
}

// sign is "-", "+" or "", for the number as it is shown.
func (f *numberFormat) sign(d decimal) string {
	negative := d.negative && d.special != "nan"
	zero := d.zero() || d.special == "nan"
	switch f.signDisplay {
	case "never":
		return ""
	case "always":
		if negative {
			return "-"
		}
		return "+"
	case "exceptZero":
		switch {
		case zero:
			return ""
		case negative:
			return "-"
		}
		return "+"
	case "negative":
		if negative && !zero {
			return "-"
		}
		return ""
	}
	if negative {
		return "-"
	}
	return ""
}

// number gives the parts of a finite number without its sign, the plural category of what
// is shown, and the rounded number.
func (f *numberFormat) number(d decimal) (parts []part, category string, rounded decimal) {
	power, word := 0, forms(nil)
	switch f.notation {
	case "compact":
		power, word = f.compact(d)
	case "scientific":
		power = f.exponent(d, 1)
	case "engineering":
		power = f.exponent(d, 3)
	}
	scaled := d.shift(-power)
	if d.zero() {
		scaled = d
	}
	rounded = f.rounded(scaled)
	integer, fraction := f.digits(rounded)
	parts = f.grouped(integer)
	if fraction != "" {
		parts = append(parts, part{"decimal", f.decimalMark()}, part{"fraction", fraction})
	}
	category = pluralCategory(f.data.Locale, integer, fraction)
	switch {
	case word != nil && word["=1"] != "" && integer == "1" && fraction == "":
		parts = []part{{"compact", word["=1"]}}
	case word != nil:
		parts = fill(word.of(category), "compact", func(string) []part { return parts })
	case f.notation == "scientific" || f.notation == "engineering":
		parts = append(parts, part{"exponentSeparator", f.data.Numbers.Symbols.Exponent})
		if power < 0 {
			parts = append(parts, part{"exponentMinusSign", f.data.Numbers.Symbols.Minus})
		}
		parts = append(parts, part{"exponentInteger", strconv.Itoa(max(power, -power))})
	}
	return parts, category, rounded
}

// compact chooses the power of ten that a number is shortened by. Rounding may carry it to
// the next one: 999,999 is 1M.
func (f *numberFormat) compact(d decimal) (power int, word forms) {
	if d.zero() {
		return 0, nil
	}
	table := f.data.Numbers.Compact[f.compactDisplay]
	at := func(magnitude int) (int, forms) {
		magnitude = min(magnitude, len(table)-1)
		if magnitude < 3 || table[magnitude] == nil {
			return 0, nil
		}
		form := table[magnitude]
		if form.forms.of("other") == "{0}" {
			return 0, nil
		}
		return magnitude - form.digits + 1, form.forms
	}
	power, word = at(d.magnitude())
	rounded := f.rounded(d.shift(-power))
	if rounded.magnitude()+power > d.magnitude() {
		power, word = at(rounded.magnitude() + power)
	}
	return power, word
}

// exponent is the power of scientific notation, a multiple of step.
func (f *numberFormat) exponent(d decimal, step int) int {
	if d.zero() {
		return 0
	}
	of := func(magnitude int) int {
		if magnitude >= 0 {
			return magnitude / step * step
		}
		return -((-magnitude + step - 1) / step * step)
	}
	power := of(d.magnitude())
	rounded := f.rounded(d.shift(-power))
	return of(rounded.magnitude() + power)
}

func (f *numberFormat) rounded(d decimal) decimal {
	switch {
	case f.compactRounding: // two significant digits, but no digit before the point is lost
		return d.round(max(0, 1-d.magnitude()), f.roundingMode)
	case f.maxSignificant > 0:
		return d.round(f.maxSignificant-1-d.magnitude(), f.roundingMode)
	}
	return d.round(f.maxFraction, f.roundingMode)
}

func (f *numberFormat) digits(d decimal) (integer, fraction string) {
	minFraction := f.minFraction
	if f.maxSignificant > 0 {
		minFraction = max(0, f.minSignificant-1-d.magnitude())
	}
	integer, fraction = d.written(f.minInteger, minFraction)
	if f.trailingZeros == "stripIfInteger" && strings.Trim(fraction, "0") == "" {
		fraction = ""
	}
	return integer, fraction
}

func (f *numberFormat) decimalMark() string {
	symbols := &f.data.Numbers.Symbols
	if f.style == "currency" && symbols.CurrencyDecimal != "" {
		return symbols.CurrencyDecimal
	}
	return symbols.Decimal
}

// grouped splits the integer digits into groups.
func (f *numberFormat) grouped(integer string) []part {
	symbols := &f.data.Numbers.Symbols
	minimum := symbols.MinGroup
	switch f.grouping {
	case "":
		return []part{{"integer", integer}}
	case "always":
		minimum = 1
	case "min2":
		minimum = 2
	}
	if len(integer) < 3+minimum {
		return []part{{"integer", integer}}
	}
	group := symbols.Group
	if f.style == "currency" && symbols.CurrencyGroup != "" {
		group = symbols.CurrencyGroup
	}
	secondary := symbols.Secondary
	if f.style == "currency" && f.currencySign == "accounting" && symbols.AccountingSecondary != 0 {
		secondary = symbols.AccountingSecondary
	}
	var groups []string
	groups = append(groups, integer[len(integer)-3:])
	for rest := integer[:len(integer)-3]; rest != ""; {
		cut := max(0, len(rest)-secondary)
		groups = append(groups, rest[cut:])
		rest = rest[:cut]
	}
	parts := make([]part, 0, 2*len(groups))
	for i := len(groups) - 1; i >= 0; i-- {
		parts = append(parts, part{"integer", groups[i]})
		if i > 0 {
			parts = append(parts, part{"group", group})
		}
	}
	return parts
}

func (f *numberFormat) signParts(sign string) []part {
	switch sign {
	case "-":
		return []part{{"minusSign", f.data.Numbers.Symbols.Minus}}
	case "+":
		return []part{{"plusSign", f.data.Numbers.Symbols.Plus}}
	}
	return nil
}
