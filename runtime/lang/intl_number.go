package lang

import (
	"strings"

	"github.com/dop251/goja"
)

// numberFormat is an Intl.NumberFormat with its options resolved.
type numberFormat struct {
	name string
	data *localeData

	style, notation, compactDisplay         string
	currency, currencyDisplay, currencySign string
	unit, unitDisplay                       string
	signDisplay, grouping                   string
	roundingMode, trailingZeros             string
	minInteger, minFraction, maxFraction    int
	minSignificant, maxSignificant          int // 0 where fraction digits count
	compactRounding                         bool
}

// newNumberFormat reads options as
// https://tc39.es/ecma402/#sec-intl-numberformat-constructor does.
func (r *realm) newNumberFormat(locales, options goja.Value) *numberFormat {
	f := &numberFormat{}
	f.name, f.data = r.locale(locales)
	o := r.intlOptions("Intl.NumberFormat", options)
	o.refuse("numberingSystem", "latn")
	f.style = o.oneOf("style", "decimal", "decimal", "percent", "currency", "unit")
	if v := o.get("currency"); v != nil {
		f.currency = strings.ToUpper(v.String())
		if len(f.currency) != 3 || strings.Trim(f.currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			panic(r.rangeError("Invalid currency code : %s", v.String()))
		}
	} else if f.style == "currency" {
		panic(r.typeError("Currency code is required with currency style."))
	}
	f.currencyDisplay = o.oneOf("currencyDisplay", "symbol", "code", "symbol", "narrowSymbol", "name")
	f.currencySign = o.oneOf("currencySign", "standard", "standard", "accounting")
	if v := o.get("unit"); v != nil {
		f.unit = v.String()
	} else if f.style == "unit" {
		panic(r.typeError("Required parameter \"unit\" is missing."))
	}
	f.unitDisplay = o.oneOf("unitDisplay", "short", "short", "long", "narrow")
	f.notation = o.oneOf("notation", "standard", "standard", "scientific", "engineering", "compact")
	f.readDigits(o)
	f.compactDisplay = o.oneOf("compactDisplay", "short", "short", "long")
	f.readGrouping(o)
	f.signDisplay = o.oneOf("signDisplay", "auto", "auto", "never", "always", "exceptZero", "negative")
	r.checkNumberFormat(f)
	return f
}

// checkNumberFormat refuses what there is no data for.
func (r *realm) checkNumberFormat(f *numberFormat) {
	switch f.style {
	case "unit":
		if _, ok := f.data.Numbers.Units[f.unit]; !ok {
			panic(r.unsupported("The unit %q", f.unit))
		}
	case "currency":
		if _, ok := f.data.Numbers.Names[f.currency]; !ok && f.currencyDisplay == "name" {
			panic(r.unsupported("The name of the currency %s", f.currency))
		}
	}
}

// readDigits is SetNumberFormatDigitOptions.
func (f *numberFormat) readDigits(o intlOptions) {
	minDefault, maxDefault := 0, 3
	switch f.style {
	case "percent":
		maxDefault = 0
	case "currency":
		if f.notation == "standard" {
			minDefault = currencyDigits(f.currency)
			maxDefault = minDefault
		} else {
			maxDefault = 0
		}
	}
	if f.notation == "compact" {
		minDefault, maxDefault = 0, 0
	}
	f.minInteger = 1
	if n, ok := o.integer("minimumIntegerDigits", 1, 21); ok {
		f.minInteger = n
	}
	minFraction, hasMinFraction := o.integer("minimumFractionDigits", 0, 100)
	maxFraction, hasMaxFraction := o.integer("maximumFractionDigits", 0, 100)
	minSignificant, hasMinSignificant := o.integer("minimumSignificantDigits", 1, 21)
	maxSignificant, hasMaxSignificant := o.integer("maximumSignificantDigits", 1, 21)
	o.refuse("roundingPriority", "auto")
	o.refuse("roundingIncrement", "1")
	f.roundingMode = o.oneOf("roundingMode", "halfExpand", "ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven")
	f.trailingZeros = o.oneOf("trailingZeroDisplay", "auto", "auto", "stripIfInteger")
	switch {
	case hasMinSignificant || hasMaxSignificant:
		f.minSignificant, f.maxSignificant = 1, 21
		if hasMinSignificant {
			f.minSignificant = minSignificant
		}
		if hasMaxSignificant {
			f.maxSignificant = maxSignificant
		}
		if f.maxSignificant < f.minSignificant {
			panic(o.rangeError("maximumSignificantDigits value is out of range."))
		}
	case hasMinFraction || hasMaxFraction:
		if !hasMinFraction {
			minFraction = min(minDefault, maxFraction)
		}
		if !hasMaxFraction {
			maxFraction = max(maxDefault, minFraction)
		}
		if minFraction > maxFraction {
			panic(o.rangeError("maximumFractionDigits value is out of range."))
		}
		f.minFraction, f.maxFraction = minFraction, maxFraction
	case f.notation == "compact":
		f.compactRounding = true
	default:
		f.minFraction, f.maxFraction = minDefault, maxDefault
	}
}

// readGrouping gives "auto", "always", "min2" or "" for none.
func (f *numberFormat) readGrouping(o intlOptions) {
	f.grouping = "auto"
	if f.notation == "compact" {
		f.grouping = "min2"
	}
	v := o.get("useGrouping")
	if v == nil {
		return
	}
	switch text := v.String(); {
	case goja.IsString(v) && (text == "min2" || text == "auto" || text == "always"):
		f.grouping = text
	case goja.IsString(v) && (text == "true" || text == "false"): // as if not given
	case goja.IsString(v) && text != "":
		panic(o.rangeError("Value %s out of range for Intl.NumberFormat options property useGrouping", text))
	case v.ToBoolean():
		f.grouping = "always"
	default:
		f.grouping = ""
	}
}

// currencyDigits is the number of minor digits that ISO 4217 gives a currency.
func currencyDigits(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	}
	return 2
}

func (f *numberFormat) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	set := func(name string, value any) { o.Set(name, value) }
	set("locale", f.name)
	set("numberingSystem", "latn")
	set("style", f.style)
	if f.style == "currency" {
		set("currency", f.currency)
		set("currencyDisplay", f.currencyDisplay)
		set("currencySign", f.currencySign)
	}
	if f.style == "unit" {
		set("unit", f.unit)
		set("unitDisplay", f.unitDisplay)
	}
	set("minimumIntegerDigits", f.minInteger)
	switch {
	case f.compactRounding:
		set("minimumSignificantDigits", 1)
		set("maximumSignificantDigits", 2)
	case f.maxSignificant > 0:
		set("minimumSignificantDigits", f.minSignificant)
		set("maximumSignificantDigits", f.maxSignificant)
	}
	if f.maxSignificant == 0 {
		set("minimumFractionDigits", f.minFraction)
		set("maximumFractionDigits", f.maxFraction)
	}
	if f.grouping == "" {
		set("useGrouping", false)
	} else {
		set("useGrouping", f.grouping)
	}
	set("notation", f.notation)
	if f.notation == "compact" {
		set("compactDisplay", f.compactDisplay)
	}
	set("signDisplay", f.signDisplay)
	set("roundingMode", f.roundingMode)
	set("roundingIncrement", 1)
	set("trailingZeroDisplay", f.trailingZeros)
	if f.compactRounding {
		set("roundingPriority", "morePrecision")
	} else {
		set("roundingPriority", "auto")
	}
	return o
}
