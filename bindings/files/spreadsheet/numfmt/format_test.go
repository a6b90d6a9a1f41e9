package numfmt

import (
	"testing"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"General", 0, "0"},
		{"General", 1234567.891, "1234567.891"},
		{"General", 0.1 + 0.2, "0.3"},
		{"General", -3.14159265358979, "-3.141592654"},
		{"General", 123456789012, "1.23457E+11"},
		{"General", 0.00001, "0.00001"},
		{"General", 0.0000123456789, "1.23457E-05"},
		{"0", 2.5, "3"},
		{"0.00", 2.675, "2.68"}, // 15 digits, half up, as Excel rounds
		{"0.00", -0.001, "0.00"},
		{"00000", 42, "00042"},
		{"#,##0", 1234567, "1,234,567"},
		{"#,##0.00", -1234.5, "-1,234.50"},
		{"#,##0_);(#,##0)", -1234, "(1,234)"},
		{`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, -0.5, "($0.50)"},
		{"[$€-407] #,##0.00", 9.5, "€ 9.50"},
		{"#.##", 0.5, ".5"},
		{"#.##", 5, "5."},
		{"?.??", 1.5, "1.5 "},
		{"0%", 0.256, "26%"},
		{"0.0%", 0.2567, "25.7%"},
		{"0.0,,\"M\"", 12345678, "12.3M"},
		{"0,", 1500, "2"},
		{"0.00E+00", 123456, "1.23E+05"},
		{"##0.0E+0", 123456, "123.5E+3"},
		{"##0.0E+0", 999999, "1.0E+6"},
		{"0.0E-0", 0.00012, "1.2E-4"},
		{"# ?/?", 1.25, "1 1/4"},
		{"# ??/??", 3.14159265, "3  1/7 "},
		{"# ?/16", 2.5, "2 8/16"},
		{"?/?", 2.5, "5/2"},
		{"# ?/?", 3, "3    "},
		{"(000) 000-0000", 5551234567, "(555) 123-4567"},
		{"000-00-0000", 123456789, "123-45-6789"},
		{`0 "of 10"`, 7, "7 of 10"},
		{`0;-0;"none"`, 0, "none"},
		{"#,##0;;", -5, ""},
		{"[>=1000]#,##0,\"K\";0", 5200, "5K"},
		{"[>=1000]#,##0,\"K\";0", 12, "12"},
		{"[<1]0.00;[<10]0.0;0", 0.5, "0.50"},
		{"[<1]0.00;[<10]0.0;0", 5, "5.0"},
		{"[<1]0.00;[<10]0.0;0", 50, "50"},
		{`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`, 0, ` $-   `},
		{"0.000", 1e20, "100000000000000000000.000"},
		{"@", 5.5, "5.5"},
		{`"n/a"`, 7, "n/a"},
	} {
		if got := Parse(c.code).Number(c.v); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.code, c.v, got, c.want)
		}
	}
}

func TestDates(t *testing.T) {
	const noon = 45322.5 // 2024-01-31 12:00, a Wednesday
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"yyyy-mm-dd", noon, "2024-01-31"},
		{"m/d/yy", noon, "1/31/24"},
		{"dddd, mmmm d, yyyy", noon, "Wednesday, January 31, 2024"},
		{"d-mmm-yy", noon, "31-Jan-24"},
		{"mmmmm", noon, "J"},
		{"h:mm AM/PM", noon, "12:00 PM"},
		{"hh:mm:ss", noon + 1.0/86400, "12:00:01"},
		{"mm:ss.000", noon + 1.25/86400, "00:01.250"},
		{"[h]:mm", 1.5, "36:00"},
		{"[mm]:ss", 0.5, "720:00"},
		{"h:mm", 13.0/24 - 1e-12, "13:00"}, // what 13:00 often is in binary
		{"yyyy-mm-dd", 60, "1900-02-29"},   // Excel's calendar has one
		{"yyyy-mm-dd", 1, "1900-01-01"},
		{"yyyy", -1, "########"},
		{"yyyy", 3e6, "########"},
		{"[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", noon, "Wednesday, January 31, 2024"},
		{`yyyy"年"m"月"d"日"`, noon, "2024年1月31日"},
		{"hh:mm:ss;@", noon, "12:00:00"},
		{"m", 45322, "1"},
		{"h:m", noon, "12:0"},
		{"s:m", noon + 65.0/86400, "5:1"},
	} {
		f := Parse(c.code)
		if got := f.Number(c.v); got != c.want || !f.IsDate() {
			t.Errorf("%s of %v: %q (date %v), want %q", c.code, c.v, got, f.IsDate(), c.want)
		}
	}
}

func TestIsDate(t *testing.T) {
	for code, want := range map[string]bool{
		"General": false, "0.00": false, `"day" 0`: false, `0\d`: false, "[Red]0": false, "[Magenta]0.0": false,
		"0.00E+00": false, "[$-409]0": false, "@": false, "#,##0_d": false, "[h]:mm": true, "[mm]": true,
		"yyyy": true, "[$-409]d-mmm": true, `0;"m"`: false, "[DBNum1]0": false, "General;[Red]d": true, "": false,
		"[<1]h:mm;yyyy": true, "*d0": false,
	} {
		if got := Parse(code).IsDate(); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ code, text, want string }{
		{"General", "abc", "abc"}, {"@", "abc", "abc"}, {`0;0;0;"<"@">"`, "abc", "<abc>"},
		{"0.00", "abc", "abc"}, {`@" kg"`, "5", "5 kg"}, {";;;", "abc", ""},
	} {
		if got := Parse(c.code).Text(c.text); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.code, c.text, got, c.want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	for id, want := range map[int]string{0: "General", 14: "m/d/yyyy", 30: "m/d/yyyy", 49: "@", 50: "m/d/yyyy", 23: "", 200: "", -1: ""} {
		if got := Builtin(id); got != want {
			t.Errorf("%d: %q, want %q", id, got, want)
		}
	}
	for id, date := range map[int]bool{9: false, 15: true, 22: true, 37: false, 44: false, 45: true, 46: true, 47: true, 48: false} {
		if got := Parse(Builtin(id)).IsDate(); got != date {
			t.Errorf("%d is a date: %v", id, got)
		}
	}
}

// Whatever the code and the number are, a text comes of them, of a bounded length.
func FuzzFormat(f *testing.F) {
	for id := range 50 {
		f.Add(Builtin(id), 1234.5, "text")
	}
	f.Add("[<10]# ??/16;[h]:mm.000 AM/PM\\", -1e300, "x")
	f.Add("0.0E+0,,%%%[$€-1]*x_y", 1e-300, "")
	f.Fuzz(func(t *testing.T, code string, v float64, text string) {
		format := Parse(code)
		got := format.Number(v) + format.Text(text)
		if len(got) > 4000+20*len(code)*max(1, len(text)) {
			t.Errorf("%q of %v: %d bytes", code, v, len(got))
		}
		if utf8.ValidString(code) && utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q of %v is not UTF-8: %q", code, v, got)
		}

	})
}

func TestClosed(t *testing.T) {
	for code, want := range map[string]bool{
		"General": true, `0.0 "kg"`: true, `[Red]0;[<=5]\"0_)`: true, `_("$"* #,##0.00_)`: true, `"[" 0`: true,
		`0 "kg`: false, `[Red 0`: false, `0\`: false, `0_`: false, `0*`: false, `"a" "`: false,
	} {
		if Closed(code) != want {
			t.Errorf("%s: want %v", code, want)
		}
	}
}
