package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxSerial is the first serial after 9999-12-31.
const maxSerial = 2958466

// moment is a serial taken apart as the section shows it.
type moment struct {
	serial              float64 // rounded to what is shown
	year, month, day    int
	weekday             int // 0 is Sunday
	hour, minute, sec   int
	fraction            float64 // of a second
	hours, mins, totals float64 // elapsed in all
}

// take rounds a serial to the precision that is shown, and takes it apart. Excel's
// calendar has a day 0 of January 1900 and a 29 February 1900.
func take(serial float64, digits int, seconds bool) moment {
	unit := math.Pow10(digits)
	total := serial * 86400 // seconds
	if seconds {
		total = math.Round(total*unit) / unit
	} else if whole := math.Round(total); math.Abs(total-whole) < 1e-3 {
		total = whole // 12:59:59.9999 is 13:00
	}
	days := math.Floor(total / 86400)
	rest := total - days*86400
	m := moment{serial: serial, hours: math.Floor(total / 3600), mins: math.Floor(total / 60), totals: math.Floor(total)}
	s := int(rest)
	m.hour, m.minute, m.sec, m.fraction = s/3600, s/60%60, s%60, rest-math.Floor(rest)
	n := int(days)
	m.weekday = (n + 6) % 7
	switch {
	case n == 0:
		m.year, m.month, m.day = 1900, 1, 0
	case n == 60:
		m.year, m.month, m.day = 1900, 2, 29
	default:
		if n < 60 {
			n++
		}
		t := time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC)
		m.year, m.month, m.day = t.Year(), int(t.Month()), t.Day()
	}
	return m
}

func (s *section) renderDate(v float64) string {
	if v < 0 && s.elapsed() {
		return "-" + s.renderDate(-v)
	}
	if v < 0 || v >= maxSerial {
		return "########"
	}
	digits, seconds, twelve := 0, false, false
	for _, t := range s.tokens {
		if t.kind != datePart {
			continue
		}
		switch {
		case t.text[0] == '.':
			digits = max(digits, len(t.text)-1)
		case strings.Contains(t.text, "s"):
			seconds = true
		case isAmPm(t.text):
			twelve = true
		}
	}
	m := take(v, min(digits, 9), seconds)
	var out strings.Builder
	total := byte(0) // the unit that was shown as a total
	for _, t := range s.tokens {
		switch t.kind {
		case literal:
			out.WriteString(t.text)
		case digit:
			if t.text == "0" { // a 0 that is no fraction of seconds
				out.WriteString("0")
			}
		case generalValue:
			out.WriteString(formatGeneral(v))
		case datePart:
			text := t.text
			if unit := strings.Trim(text, "[]"); text[0] == '[' {
				total = unit[0]
			} else if text[0] == total && len(text) <= 2 {
				text = "[" + text + "]" // the unit's total shows wherever the unit does
			}
			out.WriteString(m.part(text, twelve))
		}
	}
	return out.String()
}

// elapsed tells whether the section shows a total of hours, minutes or seconds.
func (s *section) elapsed() bool {
	for _, t := range s.tokens {
		if t.kind == datePart && t.text[0] == '[' {
			return true
		}
	}
	return false
}

func isAmPm(text string) bool { return strings.ContainsRune(text, '/') }

// part gives one part of a date.
func (m moment) part(text string, twelve bool) string {
	two := func(n, width int) string {
		if width == 1 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%02d", n)
	}
	n := len(text)
	switch text[0] {
	case 'y', 'e':
		if text[0] == 'y' && n <= 2 {
			return fmt.Sprintf("%02d", m.year%100)
		}
		return fmt.Sprintf("%04d", m.year)
	case 'b': // the Buddhist calendar
		if n <= 2 {
			return fmt.Sprintf("%02d", (m.year+543)%100)
		}
		return fmt.Sprintf("%04d", m.year+543)
	case 'g': // the era, which is implied
		return ""
	case 'm':
		switch {
		case n <= 2:
			return two(m.month, n)
		case n == 3:
			return time.Month(m.month).String()[:3]
		case n == 5:
			return time.Month(m.month).String()[:1]
		}
		return time.Month(m.month).String()
	case 'd':
		switch {
		case n <= 2:
			return two(m.day, n)
		case n == 3:
			return time.Weekday(m.weekday).String()[:3]
		}
		return time.Weekday(m.weekday).String()
	case 'h':
		h := m.hour
		if twelve {
			h = (h+11)%12 + 1
		}
		return two(h, n)
	case 'n':
		return two(m.minute, n)
	case 's':
		return two(m.sec, n)
	case '.':
		digits := min(n-1, 9)
		scaled := int64(math.Round(m.fraction * math.Pow10(digits)))
		return fmt.Sprintf(".%0*d%s", digits, scaled, strings.Repeat("0", n-1-digits))
	case '[':
		all := m.hours
		if text[1] == 'm' {
			all = m.mins
		} else if text[1] == 's' {
			all = m.totals
		}
		return fmt.Sprintf("%0*.0f", n-2, all)
	}
	// AM/PM or A/P, as it is written; or the day's name (aaa).
	if !isAmPm(text) {
		if n == 3 {
			return time.Weekday(m.weekday).String()[:3]
		}
		return time.Weekday(m.weekday).String()
	}
	am, pm, _ := strings.Cut(text, "/")
	if m.hour < 12 {
		return am
	}
	return pm
}
