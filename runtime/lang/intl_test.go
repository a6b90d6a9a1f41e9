package lang_test

import (
	_ "embed"
	"testing"
)

//go:embed testdata/number.cases
var numberCases string

func TestIntlNumbers(t *testing.T) { cases(t, numberCases) }

//go:embed testdata/date.cases
var dateCases string

func TestIntlDates(t *testing.T) { cases(t, dateCases) }

//go:embed testdata/text.cases
var textCases string

func TestIntlText(t *testing.T) { cases(t, textCases) }

// What there is no data for, or what is not built, says so.
func TestIntlUnsupported(t *testing.T) {
	cases(t, `
(() => { try { (1).toLocaleString("xx") } catch (e) { return e.name + e.message.slice(0, 17) } })() → RangeErrorThe locale "xx" (
(() => { try { (1).toLocaleString("ar-EG") } catch (e) { return e.name } })() → RangeError
(() => { try { (1).toLocaleString("en-u-nu-arab") } catch (e) { return e.name } })() → RangeError
(1).toLocaleString("e") → RangeError: Incorrect locale information provided: "e"
new Date(0).toLocaleDateString("en", { era: "long" }) → RangeError: The Intl.DateTimeFormat option era: "long" is not supported in this sandbox
new Date(0).toLocaleDateString("en", { calendar: "hebrew" }) → RangeError: The Intl.DateTimeFormat option calendar: "hebrew" is not supported in this sandbox
(1).toLocaleString("en", { style: "unit", unit: "parsec" }) → RangeError: The unit "parsec" is not supported in this sandbox
(1).toLocaleString("en", { roundingIncrement: 5 }) → RangeError: The Intl.NumberFormat option roundingIncrement: 5 is not supported in this sandbox
new Intl.DisplayNames("en", { type: "region" }) → RangeError: Intl.DisplayNames is not supported in this sandbox
new Intl.NumberFormat("en").formatRange(1, 2) → RangeError: Intl formatRange is not supported in this sandbox
new Intl.Collator("en", { caseFirst: "upper" }) → RangeError: The Intl.Collator option caseFirst: "upper" is not supported in this sandbox
[...new Intl.Segmenter("ja", { granularity: "word" }).segment("日本語")] → RangeError: Splitting Chinese, Japanese or Thai text into words is not supported in this sandbox
new Date(0).toLocaleTimeString("en-US", { timeZone: "UTC", hour12: false }) → 00:00:00
new Date(0).toLocaleTimeString("de-DE", { timeZone: "UTC", hour12: true }) → 12:00:00 AM
new Date(0).toLocaleString("en", { timeZone: "Asia/Kathmandu", timeZoneName: "short" }) → RangeError: The short name of the time zone Asia/Kathmandu (use timeZoneName: "shortOffset") is not supported in this sandbox
new Date(0).toLocaleString("en-GB", { timeZone: "+05:30" }) → 01/01/1970, 05:30:00
Intl.NumberFormat.prototype.formatToParts.call({}) → TypeError: Method called on incompatible receiver
`)
}

// Every language leads to a locale that there is data for.
func TestIntlLanguages(t *testing.T) {
	for _, language := range []string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "no", "fi", "pl", "cs", "sk", "hu", "ro", "bg", "hr",
		"tr", "ru", "uk", "el", "ja", "zh", "zh-Hant", "zh-Hans", "ko", "id", "vi", "hi"} {
		expression := "[(1.5).toLocaleString('" + language + "'), new Date(0).toLocaleString('" + language + "'), new Intl.PluralRules('" + language + "').select(1)].length"
		if got := evaluate(t, fresh(), expression); got != "3" {
			t.Errorf("%s: %s", language, got)
		}
	}
}
