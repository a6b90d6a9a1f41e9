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
	if date[1:] == "---" && f.hour != "" && f.fraction == 0 {
		if index, ok := data.Weekday[date[:1]+f.clockKey(cycle)]; ok {
			return data.Patterns[index].text
		}
	}
	glue := data.Patterns[data.Glue[date]]
	if f.hour == "" && f.minute == "" && f.second == "" && f.fraction == 0 { // a zone alone
		glue = data.Patterns[data.Glue["zone"]]
	}
	if glue.none {
		panic(r.unsupported("This combination of date and time fields in %s", f.name))
	}
	return strings.Replace(strings.Replace(glue.text, "{0}", datePattern, 1), "{1}", clock, 1)
}

func (f *dateFormat) clockPattern(cycle string) string {
	data := &f.data.Dates
	if f.fraction > 0 && f.second == "" && f.minute == "" && f.hour == "" {
		return "{S}"
	}
	if f.hour == "" {
		cycle = "f"
	}
	key := f.clockKey(cycle)
	if key == "----f" {
		return ""
	}
	clock := data.Patterns[data.Time[key]].text
	if f.fraction > 0 {
		for _, field := range []string{"{ss}", "{s}"} {
			clock = strings.Replace(clock, field, field+data.Fraction+"{S}", 1)
		}
	}
	return clock
}

// clockKey is the key of the time in the tables.
func (f *dateFormat) clockKey(cycle string) string {
	second := f.second
	if f.fraction > 0 && second == "" && f.minute+f.hour != "" {
		second = "2-digit"
	}
	zone := "-"
	if f.timeZoneName != "" {
		zone = "z"
	}
	return fieldKey(f.hour) + fieldKey(f.minute) + fieldKey(second) + zone + cycle
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

// format gives the text of the parts. V8 writes a plain space for the narrow one there,
// for all the programs that look for "5 PM", and so does this.
func (f *dateFormat) format(r *realm, at time.Time) string {
	return strings.ReplaceAll(joinParts(f.parts(r, at)), "\u202F", " ")
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
		return f.offset(0, offset)
	case "longOffset":
		return f.offset(1, offset)
	}
	name := f.zoneName
	if alias, ok := zoneAliases[name]; ok {
		name = alias
	}
	set, ok := zones.Of[name]
	if !ok {
		if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "Etc/") {
			return f.offset(map[string]int{"short": 0, "long": 1}[style], offset)
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

// offset writes seconds as the locale writes UTC+3 or UTC+03:00.
func (f *dateFormat) offset(width, seconds int) string {
	zones := &f.data.Dates.Zones
	sample, ahead := zones.Ahead[width], seconds
	switch {
	case seconds == 0:
		return zones.Zero[width]
	case seconds < 0:
		sample, ahead = zones.Behind[width], -seconds
	}
	first := strings.IndexAny(sample, "03")
	last := strings.LastIndexAny(sample, "03") + 1
	separator := ":"
	if strings.Contains(zones.Ahead[1], ".") {
		separator = "."
	}
	text := offsetText("hh:mm", ahead)
	if width == 0 {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "0"), ":00")
	}
	return sample[:first] + strings.Replace(text, ":", separator, 1) + sample[last:]
}

// offsetText writes seconds as hh:mm, or as ±hh:mm.
func offsetText(format string, seconds int) string {
	sign := ""
	if format == "±hh:mm" {
		sign = "+"
	}
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	return fmt.Sprintf("%s%02d:%02d", sign, seconds/3600, seconds/60%60)
}
