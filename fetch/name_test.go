package fetch

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFileName(t *testing.T) {
	tests := []struct{ disposition, path, mimeType, want string }{
		{`attachment; filename="report.pdf"`, "/x", "", "report.pdf"},
		{`attachment; filename=report.pdf`, "/x", "", "report.pdf"},
		{`attachment; filename="plain.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt`, "/x", "", "naïve €.txt"},
		{`attachment; filename*=UTF-8''%2e%2e%2fetc%2fpasswd.txt`, "/x", "", "passwd.txt"},
		{`inline; FILENAME="a;b.csv"`, "/x", "", "a;b.csv"},
		{"attachment; filename=\"J\xfcrgen.csv\"", "/x", "", "Jürgen.csv"},
		{`attachment; filename="=?UTF-8?B?w7xiZXIuY3N2?="`, "/x", "", "über.csv"},
		{`attachment; filename=two words.csv`, "/x", "", "two words.csv"},
		{`attachment; filename="../../etc/passwd"`, "/x", "", "passwd"},
		{`attachment; filename="C:\\temp\\a.txt"`, "/x", "", "a.txt"},
		{`attachment; filename=".."`, "/data.csv", "", "data.csv"},
		{`attachment; filename=""`, "/data.csv", "", "data.csv"},
		{`attachment`, "/a/b%20c.csv", "", "b c.csv"},
		{"", "/", "text/html", "download.html"},
		{"", "", "application/octet-stream", "download"},
		{"", "/export", "text/csv", "export.csv"},
		{"", "/export", "application/json", "export.json"},
		{"", "/export", "x/unknown", "export"},
		{"", "/.htaccess", "", "htaccess"},
		{"", "/evil\u202Efdp.exe", "", "evilfdp.exe"},
		{"", "/a\nb\t.txt", "", "a b .txt"},
		{"", "/con<>:\"|*.txt", "", "con______.txt"},
		{"", "/cafe\u0301.txt", "", "café.txt"},
	}
	for _, test := range tests {
		u := &url.URL{Scheme: "https", Host: "example.com"}
		parsed, err := url.Parse(test.path)
		if err == nil {
			u.Path = parsed.Path
		} else {
			u.Path = test.path
		}
		if got := fileName(test.disposition, u, test.mimeType); got != test.want {
			t.Errorf("%q %q: got %q, want %q", test.disposition, test.path, got, test.want)
		}
	}
}

func TestLongNameKeepsItsExtension(t *testing.T) {
	got := clean(strings.Repeat("ü", 300) + ".csv")
	if len(got) > maxName || !strings.HasSuffix(got, "ü.csv") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add(`attachment; filename="a.txt"; filename*=UTF-8''b`, "/x", "text/csv")
	f.Add("attachment; filename=\"\xff\x00/..\\ \"", "/..", "text/html")
	f.Fuzz(func(t *testing.T, disposition, path, mimeType string) {
		name := fileName(disposition, &url.URL{Path: path}, mimeType)
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00\n\r") || !utf8.ValidString(name) || len(name) > 255 {
			t.Errorf("%q", name)
		}
	})
}
