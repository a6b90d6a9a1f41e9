package text

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func scanBytes(t testing.TB, data []byte) *Index {
	t.Helper()
	x, err := Scan(context.Background(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestForms(t *testing.T) {
	long := strings.Repeat("a line of text\n", 20_000) // several blocks
	u16 := func(e Encoding, s string) string { return string(e.units(s)) }
	tests := []struct {
		name, data string
		want       string // encoding, BOM, break, newline, lines; or the MIME type
	}{
		{"empty", "", `UTF-8 false "\n" "" 0`},
		{"no line end", "x", `UTF-8 false "\n" "" 1`},
		{"one line", "x\n", `UTF-8 false "\n" "\n" 1`},
		{"blank lines", "\n\n", `UTF-8 false "\n" "\n" 2`},
		{"crlf", "a\r\nb\r\nc", `UTF-8 false "\n" "\r\n" 3`},
		{"mostly lf", "a\r\nb\nc\nd\n", `UTF-8 false "\n" "\n" 4`},
		{"old mac", "a\rb\rc", `UTF-8 false "\r" "\r" 3`},
		{"carriage returns within lines", "50%\r100%\ndone\n", `UTF-8 false "\n" "\n" 2`},
		{"carriage returns first, line ends late", strings.Repeat("x\r", 40_000) + "\nend\n", `UTF-8 false "\n" "\n" 2`},
		{"bom", "\xef\xbb\xbfa\n", `UTF-8 true "\n" "\n" 1`},
		{"bom alone", "\xef\xbb\xbf", `UTF-8 true "\n" "" 0`},
		{"utf-8", "grüße\n", `UTF-8 false "\n" "\n" 1`},
		{"utf-8 over blocks", strings.Repeat("ü", 100_001), `UTF-8 false "\n" "" 1`},
		{"utf-8 over blocks, 3 bytes", "x" + strings.Repeat("€", 100_001), `UTF-8 false "\n" "" 1`},
		{"utf-8 with a broken byte", "grüße\nbad \xff\nÜber\n", `UTF-8 false "\n" "\n" 3`},
		{"utf-8 cut off", "für und über \xc3", `UTF-8 false "\n" "" 1`},
		{"latin-1", "gr\xfc\xdfe\n", `windows-1252 false "\n" "\n" 1`},
		{"windows-1252", "\x93quoted\x94 \x80 5\n", `windows-1252 false "\n" "\n" 1`},
		{"latin-1 far down", long + "caf\xe9\n", `windows-1252 false "\n" "\n" 20001`},
		{"latin-1 with c1", "a\x81b\xe9\n", `ISO-8859-1 false "\n" "\n" 1`},
		{"utf-16 le", "\xff\xfe" + u16(UTF16LE, "é\n→"), `UTF-16LE true "\n" "\n" 2`},
		{"utf-16 be", "\xfe\xff" + u16(UTF16BE, "a\r\nb"), `UTF-16BE true "\n" "\r\n" 2`},
		{"utf-16 without bom", u16(UTF16LE, "plain text\nmore"), `UTF-16LE false "\n" "\n" 2`},
		{"utf-16 be without bom", u16(UTF16BE, "plain text é\nmore"), `UTF-16BE false "\n" "\n" 2`},
		{"utf-16, large, surrogates at the cut", u16(UTF16LE, "x"+strings.Repeat("aaaaaa 😀", 20_000)), `UTF-16LE false "\n" "" 1`},
		{"utf-16 with 0A0A and xx0A in it", "\xff\xfe" + u16(UTF16LE, "\u0a0a\u0a00\u000a\u100a"), `UTF-16LE true "\n" "\n" 2`},
		{"ansi colours", "\x1b[31mred\x1b[0m\n", `UTF-8 false "\n" "\n" 1`},
		{"a stray zero far down", long + "\x00\n", `UTF-8 false "\n" "\n" 20001`},
		{"looks like a bmp", "BMW,320d\n", `UTF-8 false "\n" "\n" 1`},
		{"html", "<!doctype html><p>x", `UTF-8 false "\n" "" 1`},
		{"zero", "a\x00b", "application/octet-stream"},
		{"utf-32", "\xff\xfe\x00\x00a\x00\x00\x00", "text/plain; charset=utf-32"},
		{"utf-16 cut off", "\xff\xfea\x00b", "application/octet-stream"},
		{"ascii pdf", "%PDF-1.7\n", "application/pdf"},
		{"zip", "PK\x03\x04\x14\x00\x00\x00", "application/zip"},
		{"noise", "\xf0\x01\x02\x93\xff\x8f\x05", "application/octet-stream"},
		{"numbers", "\x01\x00\x02\x00\x03\x00\x04\x00", "application/octet-stream"},
		{"text, then zeros", strings.Repeat("text ", 20_000) + strings.Repeat("\x00", 10_000), "application/octet-stream"},
	}
	for _, test := range tests {
		x := scanBytes(t, []byte(test.data))
		got := x.Binary
		if got == "" {
			got = fmt.Sprintf("%v %v %q %q %d", x.Form.Encoding, x.Form.BOM, string(rune(x.Form.Break)), x.Form.Newline, x.Lines)
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// Every byte of the one-byte encodings comes back as it was.
func TestLegacyRoundTrip(t *testing.T) {
	var all []byte
	for c := 0x20; c < 0x100; c++ {
		all = append(all, byte(c))
	}
	got, _, ok := Latin1.Encode(Latin1.Decode(all))
	if !ok || !bytes.Equal(got, all) {
		t.Errorf("ISO-8859-1: %q", got)
	}
	var defined []byte
	for _, c := range all {
		if !strings.ContainsRune("\u0081\u008d\u008f\u0090\u009d", rune(c)) {
			defined = append(defined, c)
		}
	}
	got, _, ok = Windows1252.Encode(Windows1252.Decode(defined))
	if !ok || !bytes.Equal(got, defined) {
		t.Errorf("windows-1252: %q", got)
	}
}

// The corpus holds what people really have: each of its texts reads, and its binaries are
// none.
func TestCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	for folder, text := range map[string]bool{"csv": true, "pdf": false, "image": false, "xlsx": false} {
		paths, err := filepath.Glob(filepath.Join(root, folder, "*"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", folder, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			x := scanBytes(t, data)
			if isText := x.Binary == ""; isText != text && len(data) > 0 {
				t.Errorf("%s: %+v %q", path, x.Form, x.Binary)
			}
		}
	}
}

func TestScanStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ctx, strings.NewReader("x\n"), 2); err == nil {
		t.Error("it went on")
	}
	if _, err := Scan(context.Background(), strings.NewReader("x\n"), 3); err == nil {
		t.Error("a file shorter than was said passed")
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{"a\nb", "\xff\xfea\x00", "\xfe\xff\x00a\x00\n", "caf\xe9", "\xef\xbb\xbf", "a\x00b\x00", "\r\r\n", "\xc3"} {
		f.Add([]byte(seed), 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, repeat int) {
		if repeat > 1 && len(data) > 0 {
			data = bytes.Repeat(data, min(repeat, 1+(1<<18)/len(data)))
		}
		x := scanBytes(t, data)
		if x.Binary != "" {
			return
		}
		if want := len(newModel(x.Form, data).lines); x.Lines != want {
			t.Fatalf("%d lines, want %d: %+v", x.Lines, want, x.Form)
		}
		b := NewBuffer(bytes.NewReader(data), x)
		all, err := b.All()
		if err != nil || !utf8.ValidString(all) {
			t.Fatalf("%v: the text is not UTF-8", err)
		}
		// What can be read can be written back, byte by byte, unless it was broken.
		back, _, ok := x.Form.Encoding.Encode(all)
		if !strings.Contains(all, "\uFFFD") && (!ok || !bytes.Equal(back, data[x.Form.start():])) {
			t.Fatalf("%+v: %.100q became %.100q", x.Form, data, back)
		}
	})
}
