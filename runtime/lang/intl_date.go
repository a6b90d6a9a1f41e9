package lang

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a worker can open no file

	"github.com/dop251/goja"
)

// dateData is a locale's calendar. Its patterns name their fields:
// {y} {yy} year, {n} {nn} month, {M0} month name of list 0, {d} {dd}, {W0} weekday name,
// {h} {hh} {i} {ii} {s} {ss} hour, minute, second, {S} fraction, {a0} day period by hour,
// {z} zone; {0} is a date and {1} a time.
type dateData struct {
	Hour12   bool
	Fraction string // stands before fractions of a second
	Months   [][]string
	Weekdays [][]string
	Periods  [][]string
	Patterns []datePattern
	Date     map[string]int // weekday, year, month, day: - s l w n 2 each
	Time     map[string]int // hour, minute, second: - n 2; zone: - z; t for 12 hours, f for 24
	Glue     map[string]int // by the date's key
	Weekday  map[string]int // of a weekday alone with a time: weekday, then the time's key
	Styles   map[string]int // date style, time style: - f l m s; t or f
	Zones    zoneData
}

// zoneData names time zones: short and long, each in standard and in daylight time.
type zoneData struct {
	Sets   [][4]string
	Of     map[string]int
	Ahead  [2]string // UTC+3, short and long
	Behind [2]string // UTC−3
	Zero   [2]string // UTC
}

// dateFormat is an Intl.DateTimeFormat with its options resolved.
type dateFormat struct {
	name string
	data *localeData
	zone *time.Location
	// zoneName is the zone as resolvedOptions answers it.
	zoneName string

	weekday, year, month, day string
	hour, minute, second      string
	fraction                  int
	timeZoneName              string
	dateStyle, timeStyle      string
	hourCycle                 string // "" if there is no hour
}

// newDateFormat reads options as
// https://tc39.es/ecma402/#sec-createdatetimeformat does. required and defaults are "date",
// "time", "any" and "all".
func (r *realm) newDateFormat(locales, options goja.Value, required, defaults string) *dateFormat {
	f := &dateFormat{}
	f.name, f.data = r.locale(locales)
	o := r.intlOptions("Intl.DateTimeFormat", options)
	o.refuse("calendar", "gregory", "iso8601")
	o.refuse("numberingSystem", "latn")
	hour12, hasHour12 := o.boolean("hour12")
	cycle := o.oneOf("hourCycle", "", "h11", "h12", "h23", "h24")
	r.readZone(f, o.get("timeZone"))
	f.weekday = o.oneOf("weekday", "", "narrow", "short", "long")
	o.refuse("era")
	f.year = o.oneOf("year", "", "2-digit", "numeric")
	f.month = o.oneOf("month", "", "2-digit", "numeric", "narrow", "short", "long")
	f.day = o.oneOf("day", "", "2-digit", "numeric")
	o.refuse("dayPeriod")
	f.hour = o.oneOf("hour", "", "2-digit", "numeric")
	f.minute = o.oneOf("minute", "", "2-digit", "numeric")
	f.second = o.oneOf("second", "", "2-digit", "numeric")
	f.fraction, _ = o.integer("fractionalSecondDigits", 1, 3)
	f.timeZoneName = o.oneOf("timeZoneName", "", "short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric")
	if strings.HasSuffix(f.timeZoneName, "Generic") {
		o.refuse("timeZoneName")
	}
	f.dateStyle = o.oneOf("dateStyle", "", "full", "long", "medium", "short")
	f.timeStyle = o.oneOf("timeStyle", "", "full", "long", "medium", "short")
	r.checkStyles(f, required)
	f.applyDefaults(required, defaults)
	if f.hour != "" || f.timeStyle != "" {
		f.hourCycle = hourCycle(f.data, cycle, hour12, hasHour12)
	}
	return f
}

// hourCycle follows the standard since 2023: hour12 chooses between the locale's own way
// of counting to 12 and 0–23, never 1–24.
func hourCycle(data *localeData, cycle string, hour12, hasHour12 bool) string {
	twelve := "h12"
	if strings.HasPrefix(data.Locale, "ja") {
		twelve = "h11"
	}
	switch {
	case hasHour12 && hour12:
		return twelve
	case hasHour12:
		return "h23"
	case cycle != "":
		return cycle
	case data.Dates.Hour12:
		return "h12"
	}
	return "h23"
}

func (r *realm) checkStyles(f *dateFormat, required string) {
	if f.dateStyle == "" && f.timeStyle == "" {
		return
	}
	for name, value := range map[string]string{"weekday": f.weekday, "year": f.year, "month": f.month, "day": f.day, "hour": f.hour,
		"minute": f.minute, "second": f.second, "timeZoneName": f.timeZoneName} {
		if value != "" {
			style := "dateStyle"
			if f.dateStyle == "" {
				style = "timeStyle"
			}
			panic(r.typeError("Can't set option %s when %s is used", name, style))
		}
	}
	if required == "date" && f.timeStyle != "" {
		panic(r.typeError("Invalid option : timeStyle"))
	}
	if required == "time" && f.dateStyle != "" {
		panic(r.typeError("Invalid option : dateStyle"))
	}
}

func (f *dateFormat) applyDefaults(required, defaults string) {
	if f.dateStyle != "" || f.timeStyle != "" {
		return
	}
	hasDate := f.weekday != "" || f.year != "" || f.month != "" || f.day != ""
	hasTime := f.hour != "" || f.minute != "" || f.second != "" || f.fraction > 0
	needs := true
	if (required == "date" || required == "any") && hasDate || (required == "time" || required == "any") && hasTime {
		needs = false
	}
	if needs && (defaults == "date" || defaults == "all") {
		f.year, f.month, f.day = "numeric", "numeric", "numeric"
	}
	if needs && (defaults == "time" || defaults == "all") {
		f.hour, f.minute, f.second = "numeric", "numeric", "numeric"
	}
}

// zoneAliases are the tz database's links that are written in the wild.
var zoneAliases = map[string]string{
	"Asia/Calcutta": "Asia/Kolkata", "Europe/Kiev": "Europe/Kyiv", "Asia/Saigon": "Asia/Ho_Chi_Minh",
	"US/Eastern": "America/New_York", "US/Central": "America/Chicago", "US/Mountain": "America/Denver", "US/Pacific": "America/Los_Angeles",
	"America/Buenos_Aires": "America/Argentina/Buenos_Aires", "Asia/Istanbul": "Europe/Istanbul", "America/Montreal": "America/Toronto",
	"Etc/UTC": "UTC", "Etc/GMT": "UTC", "GMT": "UTC", "Etc/UCT": "UTC", "UCT": "UTC", "Zulu": "UTC", "Etc/Zulu": "UTC",
}

func (r *realm) readZone(f *dateFormat, v goja.Value) {
	if v == nil {
		f.zone, f.zoneName = time.Local, time.Local.String()
		if f.zoneName == "Local" {
			f.zoneName = "UTC" // a machine's own zone has no name here
		}
		return
	}
	name := v.String()
	if offset, ok := parseOffset(name); ok {
		f.zoneName = offsetText("±hh:mm", offset)
		f.zone = time.FixedZone(f.zoneName, offset)
		return
	}
	if known, ok := r.zones[name]; ok {
		f.zone, f.zoneName = known.zone, known.name
		return
	}
	given := name
	zone, err := time.LoadLocation(name)
	if upper := strings.ToUpper(name); err != nil && (upper == "UTC" || upper == "GMT") {
		name, zone, err = "UTC", time.UTC, nil
	}
	if err != nil { // in any case of letters
		name = titleZone(name)
		zone, err = time.LoadLocation(name)
	}
	if err != nil || name == "" || name == "Local" {
		panic(r.rangeError("Invalid time zone specified: %s", v.String()))
	}
	if alias := zoneAliases[name]; alias == "UTC" {
		name, zone = "UTC", time.UTC
	}
	f.zone, f.zoneName = zone, name
	r.zones[given] = namedZone{zone, name}
}

// namedZone is a zone that a run has used before: loading one takes longer than formatting.
type namedZone struct {
	zone *time.Location
	name string
}

// titleZone gives a zone's name its usual case, such as America/New_York.
func titleZone(name string) string {
	title := []byte(strings.ToLower(name))
	start := true
	for i, b := range title {
		if start && b >= 'a' && b <= 'z' {
			title[i] = b - 32
		}
		start = b == '/' || b == '_' || b == '-'
	}
	return string(title)
}

// parseOffset reads +hh:mm, +hhmm or +hh as seconds.
func parseOffset(s string) (seconds int, ok bool) {
	if len(s) < 3 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	digits := strings.Replace(s[1:], ":", "", 1)
	if len(digits) != 2 && len(digits) != 4 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	hours, _ := strconv.Atoi(digits[:2])
	minutes := 0
	if len(digits) == 4 {
		minutes, _ = strconv.Atoi(digits[2:])
	}
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

func (f *dateFormat) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	set := func(name string, value string) {
		if value != "" {
			o.Set(name, value)
		}
	}
	set("locale", f.name)
	set("calendar", "gregory")
	set("numberingSystem", "latn")
	set("timeZone", f.zoneName)
	if f.hourCycle != "" {
		o.Set("hourCycle", f.hourCycle)
		o.Set("hour12", f.hourCycle == "h12" || f.hourCycle == "h11")
	}
	set("weekday", f.weekday)
	set("year", f.year)
	set("month", f.month)
	set("day", f.day)
	set("hour", f.hour)
	set("minute", widened(f.minute, f.hour != ""))
	set("second", widened(f.second, f.minute != ""))
	if f.fraction > 0 {
		o.Set("fractionalSecondDigits", f.fraction)
	}
	set("timeZoneName", f.timeZoneName)
	set("dateStyle", f.dateStyle)
	set("timeStyle", f.timeStyle)
	return o
}

// widened is how a minute is written behind an hour, and a second behind a minute.
func widened(width string, behind bool) string {
	if width != "" && behind {
		return "2-digit"
	}
	return width
}
