package text

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// model is a text as a list of lines, each with its line end, as bytes: the plainest
// thing that a Buffer must agree with.
type model struct {
	form  Form
	lines [][]byte
}

func newModel(form Form, data []byte) *model {
	m := &model{form: form}
	data = data[form.start():]
	unit := form.Encoding.unit()
	end := form.Encoding.units(string(rune(form.Break)))
	line := []byte{}
	for len(data) >= unit {
		line = append(line, data[:unit]...)
		if bytes.Equal(data[:unit], end) {
			m.lines, line = append(m.lines, line), []byte{}
		}
		data = data[unit:]
	}
	if line = append(line, data...); len(line) > 0 {
		m.lines = append(m.lines, line)
	}
	return m
}

func (m *model) bytes() []byte {
	all := []byte{}
	if m.form.BOM {
		all = append(all, m.form.Encoding.mark()...)
	}
	return append(all, bytes.Join(m.lines, nil)...)
}

func (m *model) bare(line []byte) string {
	s := m.form.Encoding.Decode(line)
	if cut, ok := strings.CutSuffix(s, string(rune(m.form.Break))); ok {
		if m.form.Break == '\n' {
			cut = strings.TrimSuffix(cut, "\r")
		}
		return cut
	}
	return s
}

// toUTF8 is what happens when the encoding lacks a character.
func (m *model) toUTF8(content string) {
	if _, _, ok := m.form.Encoding.Encode(content); ok {
		return
	}
	for i, line := range m.lines {
		m.lines[i] = []byte(m.form.Encoding.Decode(line))
	}
	m.form.Encoding = UTF8
}

// replace puts the lines of content in the place of count lines behind after.
func (m *model) replace(after, count int, content string) {
	m.toUTF8(content)
	newline := m.form.Newline
	if newline == "" {
		newline = "\n"
		if strings.Contains(content, "\r\n") {
			newline = "\r\n"
		}
	} else {
		content = strings.ReplaceAll(content, "\r\n", "\n")
		content = strings.ReplaceAll(content, "\n", newline)
	}
	stop := string(rune(m.form.Break))
	var fresh [][]byte
	for content != "" {
		line, rest, found := strings.Cut(content, stop)
		if found {
			line += stop
		} else {
			line += newline
		}
		fresh, content = append(fresh, m.form.Encoding.units(line)), rest
	}
	atEnd := after+count == len(m.lines)
	open := len(m.lines) > 0 && !bytes.HasSuffix(m.lines[len(m.lines)-1], m.form.Encoding.units(stop))
	lines := append([][]byte{}, m.lines[:after]...)
	if atEnd && open && count == 0 && len(fresh) > 0 {
		last := lines[len(lines)-1]
		lines[len(lines)-1] = append(append([]byte{}, last...), m.form.Encoding.units(newline)...)
	}
	lines = append(append(lines, fresh...), m.lines[after+count:]...)
	if atEnd && open && len(lines) > 0 {
		// The last line stays without a line end, unless it would not be a line then.
		last := lines[len(lines)-1]
		if bare := m.rawBare(last); len(bare) > 0 {
			lines[len(lines)-1] = bare
		}
	}
	m.lines = lines
	if m.form.Newline == "" {
		m.form.Newline = newlineOf(m.form.Encoding.Decode(bytes.Join(m.lines, nil)), m.form.Break)
	}
}

func (m *model) rawBare(line []byte) []byte {
	if cut, ok := bytes.CutSuffix(line, m.form.Encoding.units(string(rune(m.form.Break)))); ok {
		if m.form.Break == '\n' {
			cut = bytes.TrimSuffix(cut, m.form.Encoding.units("\r"))
		}
		return cut
	}
	return line
}

// step is one random edit, done to both.
func step(t *testing.T, b *Buffer, m *model, pick func(n int) int, contents []string) string {
	t.Helper()
	content := contents[pick(len(contents))]
	total := len(m.lines)
	var err error
	var did string
	kind := pick(7)
	if pick(60) == 1 {
		kind = 7
	}
	switch {
	case kind < 3 && total > 0:
		first := 1 + pick(total)
		last := min(first+pick(4), total)
		if pick(20) == 0 {
			last = first + pick(total-first+1)
		}
		did = fmt.Sprintf("Replace(%d, %d, %q)", first, last, content)
		_, err = b.Replace(first, last, content)
		m.replace(first-1, last-first+1, content)
	case kind < 6 && total > 0:
		after := pick(total + 1)
		did = fmt.Sprintf("Insert(%d, %q)", after, content)
		_, err = b.Insert(after, content)
		m.replace(after, 0, content)
	case kind == 6 && total > 0:
		did = fmt.Sprintf("Append(%q)", content)
		_, err = b.Append(content)
		m.toUTF8(content)
		adapted := content
		if m.form.Newline != "" {
			adapted = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", m.form.Newline)
		} else {
			m.form.Newline = newlineOf(content, m.form.Break)
		}
		form := m.form
		*m = *newModel(form, append(m.bytes(), form.Encoding.units(adapted)...))
	default: // all the same for an empty text
		did = fmt.Sprintf("Write(%q)", content)
		switch {
		case total == 0 && kind < 3:
			_, err = b.Insert(0, content)
		case total == 0 && kind < 6:
			_, err = b.Append(content)
		default:
			_, err = b.Write(content)
		}
		m.toUTF8(content)
		m.form.Break = '\n'
		if !strings.Contains(content, "\n") && strings.Contains(content, "\r") {
			m.form.Break = '\r'
		}
		m.form.Newline = newlineOf(content, m.form.Break)
		form := m.form
		m.lines = nil
		*m = *newModel(form, append(m.bytes(), form.Encoding.units(content)...))
	}
	if err != nil {
		t.Fatalf("%s: %v", did, err)
	}
	return did
}

func agree(t *testing.T, b *Buffer, m *model, pick func(n int) int, did string) {
	t.Helper()
	var got bytes.Buffer
	if err := b.WriteTo(context.Background(), &got); err != nil {
		t.Fatal(err)
	}
	if want := m.bytes(); !bytes.Equal(got.Bytes(), want) {
		t.Fatalf("%s in %+v:\n got %.100q\nwant %.100q", did, m.form, got.Bytes(), want)
	}
	if int64(got.Len()) != b.Size() {
		t.Fatalf("%s: Size %d of %d", did, b.Size(), got.Len())
	}
	lines, err := b.Lines()
	if err != nil || lines != len(m.lines) {
		t.Fatalf("%s: %d lines, want %d (%v)", did, lines, len(m.lines), err)
	}
	if lines == 0 {
		return
	}
	first := 1 + pick(lines)
	last := min(first+pick(3), lines)
	text, err := b.Range(first, last)
	if err != nil {
		t.Fatal(err)
	}
	want := m.form.Encoding.Decode(bytes.Join(m.lines[first-1:last-1], nil)) + m.bare(m.lines[last-1])
	// Two broken pieces beside each other may be one broken piece together.
	if text != want && !strings.Contains(text+want, "\uFFFD") {
		t.Fatalf("%s: lines %d to %d are %.300q, want %.300q", did, first, last, text, want)
	}
	if pick(10) == 0 {
		eachLineAgrees(t, b, m)
	}
}

func eachLineAgrees(t *testing.T, b *Buffer, m *model) {
	t.Helper()
	n := 0
	err := b.EachLine(context.Background(), func(number int, line []byte) bool {
		n++
		want := m.bare(m.lines[n-1])
		if number != n || string(line) != want && !strings.Contains(want, "\uFFFD") {
			t.Fatalf("line %d (%d): %.100q, want %.100q", number, n, line, want)
		}
		return true
	})
	if err != nil || n != len(m.lines) {
		t.Fatalf("%d lines of %d: %v", n, len(m.lines), err)
	}
}

var someContents = []string{"", "\n", "x", "x\n", "a\nb", "a\r\nb\r\n", "\n\n", "é ü", "€ →\nnext", "😀", "one\rtwo", "long " + strings.Repeat("ab ", 50) + "\n"}

func TestEditsAgreeWithModel(t *testing.T) {
	for _, encoding := range []Encoding{UTF8, UTF16LE, UTF16BE, Windows1252} {
		for _, newline := range []string{"\n", "\r\n", "\r"} {
			for _, lines := range []int{0, 1, 7, 5000} {
				t.Run(fmt.Sprintf("%v %q %d", encoding, newline, lines), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(lines), uint64(len(newline))))
					var data strings.Builder
					for i := range lines {
						fmt.Fprintf(&data, "line %d é %s", i, strings.Repeat("x", r.IntN(60)))
						if i < lines-1 || r.IntN(2) == 0 {
							data.WriteString(newline)
						}
					}
					raw := encoding.units(data.String())
					if encoding.unit() == 2 {
						raw = append([]byte(encoding.mark()), raw...)
					}
					runModel(t, raw, r.IntN, 150)
				})
			}
		}
	}
}

func runModel(t *testing.T, raw []byte, pick func(int) int, steps int) {
	x, err := Scan(context.Background(), bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if x.Binary != "" {
		return
	}
	before := fmt.Sprint(x)
	b, m := NewBuffer(bytes.NewReader(raw), x), newModel(x.Form, raw)
	agree(t, b, m, pick, "opening")
	for range steps {
		agree(t, b, m, pick, step(t, b, m, pick, someContents))
	}
	if after := fmt.Sprint(x); after != before {
		t.Fatal("the shared index was changed")
	}
}

func FuzzEdits(f *testing.F) {
	f.Add([]byte("a\nb\r\nc"), []byte{1, 2, 3, 4, 5, 6, 7, 8}, 1)
	f.Add([]byte("\xff\xfea\x00\n\x00b\x00"), []byte{9, 8, 7, 6, 5, 4, 3}, 1)
	f.Add([]byte("\xef\xbb\xbfx\ry"), []byte{0, 0, 0}, 1)
	f.Add([]byte("caf\xe9\n\x80\x81\xff"), []byte{3, 1, 200, 7}, 70000)
	f.Fuzz(func(t *testing.T, data, choices []byte, repeat int) {
		if repeat > 1 && len(data) > 0 {
			data = bytes.Repeat(data, min(repeat, 1+(1<<18)/len(data)))
		}
		at := 0
		pick := func(n int) int {
			if at+1 >= len(choices) {
				return 0
			}
			at += 2
			return (int(choices[at-2])<<8 | int(choices[at-1])) % n
		}
		runModel(t, data, pick, min(len(choices)/6, 12))
	})
}
