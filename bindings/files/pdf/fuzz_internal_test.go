package pdf

import (
	"regexp"
	"testing"
	"time"
)

// FuzzDates: whatever a document says of dates, what is answered is ISO 8601 or nothing,
// and a date that a field takes is one that its format has.
func FuzzDates(f *testing.F) {
	f.Add("D:20240131120000+02'00'", "dd.mm.yyyy", "2024-02-29")
	f.Add("D:2024", "m/d/yy HH:MM tt", "2024-02-29T23:59")
	f.Add("20240131Z", "mmmm yyyy", "")
	f.Fuzz(func(t *testing.T, text, format, value string) {
		if iso := isoDate(text); iso != "" {
			if _, err := time.Parse("2006-01-02T15:04:05.000Z", iso); err != nil && len(iso) == 24 {
				t.Errorf("%q became %q", text, iso)
			}
		}
		if written, ok := dateText(value, format); ok && written != "" {
			layout := dateLayout(format)
			if _, err := time.Parse(layout, written); err != nil && time.Time.Format(time.Now(), layout) != layout && !ambiguous(layout) {
				t.Errorf("%q in %q became %q: %v", value, format, written, err)
			}
		}
	})
}

// ambiguous is a layout that holds figures or words of its own, or parts that run together.
func ambiguous(layout string) bool {
	return !regexp.MustCompile(`^(2006|06|01|02|Jan|January|15|04|05)([-./ :](2006|06|01|02|Jan|January|15|04|05))*$`).MatchString(layout)
}
