// Package sheet is what every reader of tables has in common: typed values, cells,
// ranges in A1 notation, and the interface Book that the xlsx and the csv reader answer.
//
// Imports problem and nothing else of this module. Start reading at Book, then Value.
package sheet

import (
	"math"
	"strconv"
	"time"
)

// Kind says which of its fields a Value uses.
type Kind uint8

// The kinds of values.
const (
	Empty  Kind = iota
	Number      // Num
	String      // Text
	Bool        // Num is 0 or 1
	Date        // Num is a serial of the 1900 date system, fractions are the time of day
	Error       // Text is "#DIV/0!" and the like
)

// String names the kind as a model reads it: empty, number, string, boolean, date or error.
func (k Kind) String() string {
	return [...]string{"empty", "number", "string", "boolean", "date", "error"}[k]
}

// Value is a cell's typed value. The zero Value is that of an empty cell.
type Value struct {
	Num  float64
	Text string
	Kind Kind
}

// Num makes a number.
func Num(v float64) Value { return Value{Kind: Number, Num: v} }

// Str makes a string.
func Str(s string) Value { return Value{Kind: String, Text: s} }

// Err makes an error value such as #DIV/0!.
func Err(code string) Value { return Value{Kind: Error, Text: code} }

// IsError tells whether a text is an error value that spreadsheet programs know.
func IsError(text string) bool {
	switch text {
	case "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
		"#GETTING_DATA", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!", "#UNKNOWN!", "#CONNECT!", "#BUSY!", "#EXTERNAL!", "#PYTHON!":
		return true
	}
	return false
}

// Serial makes a date of a serial of the 1900 date system.
func Serial(v float64) Value { return Value{Kind: Date, Num: v} }

// Boolean makes a boolean.
func Boolean(v bool) Value {
	if v {
		return Value{Kind: Bool, Num: 1}
	}
	return Value{Kind: Bool}
}

// IsEmpty tells whether there is no value.
func (v Value) IsEmpty() bool { return v.Kind == Empty }

// ErrorValue is how an error value appears in results: {"error": "#DIV/0!"}.
type ErrorValue struct {
	Error string `json:"error"`
}

// Any gives the value as results carry it: nil, float64 (int64 if it is whole and
// exact), string, bool, an ISO 8601 string for a date, or an ErrorValue.
func (v Value) Any() any {
	switch v.Kind {
	case Number:
		if v.Num == math.Trunc(v.Num) && math.Abs(v.Num) < 1<<53 {
			return int64(v.Num)
		}
		return v.Num
	case String:
		return v.Text
	case Bool:
		return v.Num != 0
	case Date:
		return v.ISO()
	case Error:
		return ErrorValue{v.Text}
	}
	return nil
}

// Plain gives the value as text without any number format: numbers with the fewest
// digits that mean the same, TRUE and FALSE, dates as ISO 8601, errors as they are.
func (v Value) Plain() string {
	switch v.Kind {
	case Number:
		return strconv.FormatFloat(v.Num, 'f', -1, 64)
	case Bool:
		if v.Num != 0 {
			return "TRUE"
		}
		return "FALSE"
	case Date:
		return v.ISO()
	}
	return v.Text
}

// ISO gives a date as JavaScript's toISOString does: 2024-01-31T00:00:00.000Z.
func (v Value) ISO() string {
	// By hand, which takes half of the time that Format does: dates are many.
	t := Time(v.Num)
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b := []byte("0000-00-00T00:00:00.000Z")
	digits(b[0:4], year)
	digits(b[5:7], int(month))
	digits(b[8:10], day)
	digits(b[11:13], hour)
	digits(b[14:16], minute)
	digits(b[17:19], second)
	digits(b[20:23], t.Nanosecond()/1e6)
	return string(b)
}

// digits writes a number into all of b.
func digits(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// MaxSerial is the first serial after 9999-12-31, the last day that spreadsheets know.
const MaxSerial = 2958466

var (
	epoch     = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	leapEpoch = epoch.AddDate(0, 0, 1)
)

// Time gives the moment of a serial of the 1900 date system, to the millisecond.
// Serials 1 to 59 count from 1900-01-01, as Excel shows them although its calendar has a
// 29 February 1900; a time of day alone (below 1) lies on 1899-12-30, as other programs have it.
func Time(serial float64) time.Time {
	base := epoch
	if serial >= 1 && serial < 60 {
		base = leapEpoch
	}
	// In milliseconds, because a Duration from 1899 would overflow in the year 2191.
	ms := int64(math.Round(serial * 86_400_000))
	return time.UnixMilli(base.UnixMilli() + ms).UTC()
}

// SerialOf gives the serial of a moment, read as UTC.
func SerialOf(t time.Time) float64 {
	serial := float64(t.UnixMilli()-epoch.UnixMilli()) / 86_400_000
	if serial >= 2 && serial < 61 {
		serial--
	}
	return serial
}

// ParseISO reads a date, a date and time, or a time of day as t="d" cells and csv files
// have them, and gives its serial.
func ParseISO(s string) (float64, bool) {
	for _, layout := range [...]string{
		"2006-01-02", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999",
	} {
		if len(s) < 10 {
			break
		}
		if t, err := time.Parse(layout, s); err == nil {
			return SerialOf(t.UTC()), true
		}
	}
	for _, layout := range [...]string{"15:04:05.999999999", "T15:04:05.999999999", "15:04:05.999999999Z"} {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.Hour()*3600+t.Minute()*60+t.Second())/86_400 + float64(t.Nanosecond())/86_400e9, true
		}
	}
	return 0, false
}
