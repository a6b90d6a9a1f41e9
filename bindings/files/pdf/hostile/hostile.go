// Package hostile makes PDFs that are meant to hurt what reads them: bombs that unpack to
// gigabytes, structures that go round in circles, numbers that promise too much.
//
// makehostile writes them to testdata/hostile, where codes.txt says what has to become of
// each. Only tests use it. Imports nothing of this module. Start reading at Files.
package hostile

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// File is a hostile PDF.
type File struct {
	Name string
	Data []byte
}

// Files are all of them, the same each time.
func Files() []File {
	var files []File
	for _, list := range [][]File{bombs(), circles(), promises(), broken()} {
		files = append(files, list...)
	}
	return files
}

// Fine is a PDF of the same making that hurts nobody.
func Fine() []byte { return newBuilder().bytes() }

// builder writes a PDF by its objects. Object 1 is the catalog, 2 the page tree, 3 a page,
// 4 its contents and 5 Helvetica, unless they are set otherwise.
type builder struct {
	objects map[int]string
	trailer string
	table   []byte // what stands instead of the cross-reference table and trailer
}

func newBuilder() *builder {
	return &builder{objects: map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>",
		4: stream("", "BT /F 12 Tf 20 20 Td (hostile) Tj ET"),
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}}
}

func (b *builder) set(number int, format string, args ...any) *builder {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	b.objects[number] = text
	return b
}

// page sets what stands in the page's dictionary beside what every page has.
func (b *builder) page(attributes string) *builder {
	return b.set(3, "%s", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"+attributes+">>")
}

func (b *builder) content(text string) *builder { return b.set(4, "%s", stream("", text)) }

func (b *builder) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	last := 0
	for number := range b.objects {
		last = max(last, number)
	}
	offsets := make([]int, last+1)
	for number := 1; number <= last; number++ {
		if text, ok := b.objects[number]; ok {
			offsets[number] = out.Len()
			fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", number, text)
		}
	}
	start := out.Len()
	if b.table != nil {
		out.Write(b.table)
		return out.Bytes()
	}
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", last+1)
	for _, at := range offsets[1:] {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", last+1, b.trailer, start)
	return out.Bytes()
}

// stream is a stream object.
func stream(attributes, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", attributes, len(data), data)
}

// flate is a stream object, compressed times over.
func flate(attributes string, data []byte, times int) string {
	for range times {
		data = deflate(data)
	}
	filter := "/Filter/FlateDecode"
	if times > 1 {
		filter = "/Filter[" + strings.Repeat("/FlateDecode", times) + "]"
	}
	return stream(attributes+filter, string(data))
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, 9)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// packed puts objects into an object stream, and gives the whole file: base are the
// objects that stand by themselves.
func packed(base *builder, objects map[int]string) []byte {
	last, first := 0, 1<<30
	for number := range objects {
		last, first = max(last, number), min(first, number)
	}
	var index, body strings.Builder
	count := 0
	for number := first; number <= last; number++ {
		if text, ok := objects[number]; ok {
			fmt.Fprintf(&index, "%d %d ", number, body.Len())
			body.WriteString(text + " ")
			count++
		}
	}
	container, table := last+1, last+2
	base.set(container, "%s", flate(fmt.Sprintf("/Type/ObjStm/N %d/First %d", count, index.Len()), []byte(index.String()+body.String()), 1))
	base.table = []byte{}
	data := base.bytes()
	// The cross-reference stream: type, place, index.
	var rows bytes.Buffer
	row := func(kind, place, index int) {
		rows.Write([]byte{byte(kind), byte(place >> 24), byte(place >> 16), byte(place >> 8), byte(place), byte(index >> 24), byte(index >> 16), byte(index >> 8), byte(index)})
	}
	at := 0
	for number := 0; number <= table; number++ {
		_, inside := objects[number]
		_, outside := base.objects[number]
		switch {
		case inside:
			row(2, container, at)
			at++
		case outside:
			row(1, bytes.Index(data, fmt.Appendf(nil, "\n%d 0 obj\n", number))+1, 0)
		case number == table:
			row(1, len(data), 0)
		default:
			row(0, 0, 0)
		}
	}
	start := len(data)
	data = fmt.Appendf(data, "%d 0 obj\n%s\nendobj\n", table,
		flate(fmt.Sprintf("/Type/XRef/Size %d/W[1 4 4]/Root 1 0 R", table+1), rows.Bytes(), 1))
	return fmt.Appendf(data, "startxref\n%d\n%%%%EOF\n", start)
}
