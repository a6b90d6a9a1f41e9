package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// signed fills one of three patterns: without a sign, with minus, with plus.
func (f *numberFormat) signed(patterns [3]string, sign string, number []part, symbol string) []part {
	pattern := patterns[0]
	switch sign {
	case "-":
		pattern = patterns[1]
	case "+":
		pattern = patterns[2]
	}
	return fill(pattern, "literal", func(name string) []part {
		switch name {
		case "0":
			return number
		case "%":
			return []part{{"percentSign", f.data.Numbers.Symbols.Percent}}
		case "c":
			return []part{{"currency", symbol}}
		default:
			return f.signParts(name)
		}
	})
}

// wrapped fills a pattern in which the sign stands before the number.
func (f *numberFormat) wrapped(pattern, kind, sign string, number []part) []part {
	return fill(pattern, kind, func(string) []part { return append(f.signParts(sign), number...) })
}

func (f *numberFormat) currencyParts(sign string, number []part, category string) []part {
	n := &f.data.Numbers
	if f.currencyDisplay == "name" {
		return append(f.signParts(sign), f.wrapped(n.Names[f.currency].of(category), "currency", "", number)...)
	}
	symbol := f.currency
	if pair, ok := n.Currencies[f.currency]; ok {
		switch f.currencyDisplay {
		case "symbol":
			symbol = pair.symbol
		case "narrowSymbol":
			symbol = pair.narrow
		}
	}
	patterns, spaced := n.Currency, n.CurrencyCode
	switch {
	case shortened(number):
		patterns, spaced = n.CurrencyCompact, n.CurrencyCompactCode
	case f.currencySign == "accounting":
		patterns, spaced = n.Accounting, n.AccountingCode
	}
	if spacesCurrency(symbol, strings.Index(patterns[0], "{c}") < strings.Index(patterns[0], "{0}")) {
		patterns = spaced
	}
	return f.signed(patterns, sign, number, symbol)
}

// shortened tells whether compact notation took digits away.
func shortened(number []part) bool {
	for _, p := range number {
		if p.kind == "compact" {
			return true
		}
	}
	return false
}

// spacesCurrency tells whether a symbol is set off from the digits: the data says so for
// those that end, at the digits' side, in something other than a currency sign or the like.
func spacesCurrency(symbol string, before bool) bool {
	edge, _ := utf8.DecodeLastRuneInString(symbol)
	if !before {
		edge, _ = utf8.DecodeRuneInString(symbol)
	}
	return !unicode.IsSymbol(edge) && !unicode.IsSpace(edge)
}
