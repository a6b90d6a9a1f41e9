package lang

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// datePattern is an entry of a locale's pool: a pattern; or, as glue, one in which the date
// is written out because it is written otherwise beside a time; or nothing where neither
// could be found.
type datePattern struct {
	text string
	both bool
	none bool
}

func (p *datePattern) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case 'n':
		p.none = true
		return nil
	case '{':
		p.both = true
		return json.Unmarshal(data, &struct{ Both *string }{&p.text})
	}
	return json.Unmarshal(data, &p.text)
}

// instant gives the time that a format's argument means; ok is false for an invalid date.
func (r *realm) instant(v goja.Value) (at time.Time, ok bool) {
	if v == nil || goja.IsUndefined(v) {
		return r.opt.Now(), true
	}
	if object, isObject := v.(*goja.Object); isObject {
		if object.ClassName() == "Date" {
			at, ok := object.Export().(time.Time)
			return at, ok
		}
		v = r.primitive(object)
	}
	ms := v.ToFloat()
	if math.IsNaN(ms) || math.Abs(ms) > 8.64e15 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(ms)), true
}

// pattern chooses the pattern for what is asked for.
func (f *dateFormat) pattern(r *realm) string {
	data := &f.data.Dates
	cycle := "f"
	if f.hourCycle == "h12" || f.hourCycle == "h11" {
		cycle = "t"
	}
	if f.dateStyle != "" || f.timeStyle != "" {
		if f.timeStyle == "" {
			cycle = "f"
		}
		return data.Patterns[data.Styles[styleKey(f.dateStyle)+styleKey(f.timeStyle)+cycle]].text
	}
	date := fieldKey(f.weekday) + fieldKey(f.year) + fieldKey(f.month) + fieldKey(f.day)
	clock := f.clockPattern(cycle)
	if date == "----" {
		return clock
	}
	datePattern := data.Patterns[data.Date[date]].text
	if clock == "" {
		return datePattern
	}
	if f.hour == "" && f.minute == "" && f.second == "" && f.fraction == 0 { // a zone alone
		return datePattern + data.Patterns[data.Glue["zone"]].text + clock
	}
	glue := data.Patterns[data.Glue[date]]
	if glue.none {
		panic(r.unsupported("This combination of date and time fields in %s", f.name))
	}
	return strings.Replace(strings.Replace(glue.text, "{0}", datePattern, 1), "{1}", clock, 1)
}

func (f *dateFormat) clockPattern(cycle string) string {
	data := &f.data.Dates
	second := f.second
	if f.fraction > 0 && second == "" && f.minute == "" && f.hour == "" {
		return "{S}"
	}
	if f.fraction > 0 && second == "" {
		second = "2-digit"
	}
	key := fieldKey(f.hour) + fieldKey(f.minute) + fieldKey(second)
	zone := "-"
	if f.timeZoneName != "" {
		zone = "z"
	}
	if key == "---" && zone == "-" {
		return ""
	}
	if f.hour == "" {
		cycle = "f"
	}
	clock := data.Patterns[data.Time[key+zone+cycle]].text
	if f.fraction > 0 {
		for _, field := range []string{"{ss}", "{s}"} {
			clock = strings.Replace(clock, field, field+data.Fraction+"{S}", 1)
		}
	}
	return clock
}

func styleKey(style string) string {
	if style == "" {
		return "-"
	}
	return style[:1]
}

func fieldKey(width string) string {
	switch width {
	case "":
		return "-"
	case "numeric":
		return "n"
	case "2-digit":
		return "2"
	case "narrow":
		return "w"
	}
	return width[:1]
}

// parts formats a time.
func (f *dateFormat) parts(r *realm, at time.Time) []part {
	at = at.In(f.zone)
	data := &f.data.Dates
	return fill(f.pattern(r), "literal", func(name string) []part {
		list := 0
		if len(name) > 1 {
			list, _ = strconv.Atoi(name[1:])
		}
		switch name[0] {
		case 'y':
			return []part{{"year", f.yearText(at.Year(), name == "yy")}}
		case 'n':
			return []part{{"month", padded(int(at.Month()), name)}}
		case 'M':
			return []part{{"month", data.Months[list][at.Month()-1]}}
		case 'd':
			return []part{{"day", padded(at.Day(), name)}}
		case 'W':
			return []part{{"weekday", data.Weekdays[list][at.Weekday()]}}
		case 'h':
			return []part{{"hour", padded(f.hourOf(at.Hour()), name)}}
		case 'i':
			return []part{{"minute", padded(at.Minute(), name)}}
		case 's':
			return []part{{"second", padded(at.Second(), name)}}
		case 'S':
			return []part{{"fractionalSecond", fmt.Sprintf("%03d", at.Nanosecond()/1e6)[:f.fraction]}}
		case 'a':
			return []part{{"dayPeriod", data.Periods[list][at.Hour()]}}
		}
		return []part{{"timeZoneName", f.zoneText(r, at)}}
	})
}

func padded(n int, field string) string {
	if len(field) == 2 && n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// yearText counts years before year 1 backwards from 1, as the calendar does without eras.
func (f *dateFormat) yearText(year int, short bool) string {
	if year < 1 {
		year = 1 - year
	}
	if short {
		return fmt.Sprintf("%02d", year%100)
	}
	return strconv.Itoa(year)
}

func (f *dateFormat) hourOf(hour int) int {
	switch f.hourCycle {
	case "h11":
		return hour % 12
	case "h12":
		return (hour+11)%12 + 1
	case "h24":
		return (hour+23)%24 + 1
	}
	return hour
}

// zoneText names the zone at a time. Names exist for the zones in the tables; an offset
// exists for all.
func (f *dateFormat) zoneText(r *realm, at time.Time) string {
	style := f.timeZoneName
	switch f.timeStyle {
	case "full":
		style = "long"
	case "long":
		style = "short"
	}
	zones := &f.data.Dates.Zones
	_, offset := at.Zone()
	switch style {
	case "shortOffset":
		return f.offset(zones.Short, offset)
	case "longOffset":
		return f.offset(zones.Long, offset)
	}
	name := f.zoneName
	if alias, ok := zoneAliases[name]; ok {
		name = alias
	}
	set, ok := zones.Of[name]
	if !ok {
		if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "Etc/") {
			return f.offset(map[string]string{"short": zones.Short, "long": zones.Long}[style], offset)
		}
		panic(r.unsupported("The %s name of the time zone %s (use timeZoneName: \"shortOffset\")", style, name))
	}
	i := 0
	if at.IsDST() {
		i++
	}
	if style == "long" {
		i += 2
	}
	return zones.Sets[set][i]
}

// offset writes seconds as the locale writes UTC+3.
func (f *dateFormat) offset(sample string, seconds int) string {
	if seconds == 0 {
		return f.data.Dates.Zones.Zero
	}
	short := !strings.Contains(sample, "03")
	at := strings.IndexAny(sample, "+")
	if at < 0 {
		return sample
	}
	end := strings.LastIndexAny(sample, "0123456789") + 1
	format := "±hh:mm"
	if short {
		format = "±h"
		if seconds%3600 != 0 {
			format = "±h:mm"
		}
	}
	separator := ":"
	if strings.Contains(sample[at:], ".") {
		separator = "."
	}
	text := strings.Replace(offsetText(format, seconds), ":", separator, 1)
	return sample[:at] + text + sample[end:]
}

func offsetText(format string, seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours, minutes := seconds/3600, seconds/60%60
	switch format {
	case "±h":
		return sign + strconv.Itoa(hours)
	case "±h:mm":
		return fmt.Sprintf("%s%d:%02d", sign, hours, minutes)
	}
	return fmt.Sprintf("%s%02d:%02d", sign, hours, minutes)
}
