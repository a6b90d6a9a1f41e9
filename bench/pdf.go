package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
)

// PDFs that the cases work on.
const (
	textPDF = "text.pdf" // 40 chapters of text, with headings, lists and tables
	formPDF = "form.pdf" // 200 texts and 50 check boxes
	drawPDF = "draw.pdf" // a page of text, lines and a picture

	smallPDFs = "small" // a folder of 30, each a letter with a table
	smallOnes = 30
)

var pdfCases = []benchmark{
	{
		name: "text of a PDF of 40 chapters, first call (pdfjs-dist)", peer: "pdf-text", arg: textPDF, n: 3,
		goal: goal{text: "≥ 2.5× faster", ratio: 2.5},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.coldPDF(ctx, textPDF, 3, `const { pages } = await files.pdf.extractText(name);`,
				`pages.some(p => p.text.replace(/\s+/g, ' ').includes('In chapter 40 paragraph 4'))`)
		},
	},
	{
		name: "text of 30 PDFs of two pages, first calls (pdfjs-dist)", peer: "pdf-texts", arg: smallPDFs, n: 1,
		goal: goal{text: "≥ 2.5× faster", ratio: 2.5},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) { return lab.smallPDFs(ctx) },
	},
	{
		name: "fill 250 form fields (pdf-lib)", peer: "pdf-fill", arg: formPDF, n: 3,
		goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.coldPDF(ctx, formPDF, 3, `const values = {};
				for (let i = 0; i < 200; i++) values['text' + i] = 'Value ' + i;
				for (let i = 0; i < 50; i++) values['check' + i] = true;
				const { filled } = await files.pdf.fillForm(name, values);
				const { size } = await files.info(name);`, `filled === 250 && size > 1000`)
		},
	},
	{
		name: "draw a page of a PDF as PNG, 108 dpi (pdftoppm)", peer: "pdf-render", arg: drawPDF, n: 3,
		goal: goal{text: "within 1.5×", ratio: 1 / 1.5},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.coldPDF(ctx, drawPDF, 3, `const { base64 } = await files.pdf.renderPage(name, 1, { dpi: 108 });`, `base64.length > 1000`)
		},
	},
	{
		name: "a PDF's first call in a fresh worker, more than the second",
		goal: goal{text: "< 300 ms", ms: 300},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) { return lab.freshPDF(ctx, 3) },
	},
}

// pdfs are made when they are first needed.
func (l *lab) pdf(name string) ([]byte, error) {
	data, err := os.ReadFile(l.path(name))
	if err == nil {
		return data, nil
	}
	switch name {
	case textPDF:
		if data, err = l.createPDF(textPDF, prose(40, 0)); err != nil {
			return nil, err
		}
	case formPDF:
		data = makeFormPDF()
	case drawPDF:
		data = makeDrawPDF()
	}
	return data, os.WriteFile(l.path(name), data, 0o600)
}

// coldPDF times an operation on a PDF that no worker has seen: each time it has another
// byte at its end.
func (l *lab) coldPDF(ctx context.Context, name string, n int, work, right string) (times []time.Duration, err error) {
	data, err := l.pdf(name)
	if err != nil {
		return nil, err
	}
	for range n {
		l.copies++
		body := fmt.Appendf(bytes.Clone(data), "%%%d\n", l.copies)
		if _, err := l.host.Files("").Put(ctx, sandboxd.Upload{Name: "cold.pdf", Replace: true, Body: bytes.NewReader(body)}); err != nil {
			return nil, err
		}
		took, err := l.timed(ctx, `const name = 'cold.pdf', start = performance.now();
			`+work+`
			const ms = performance.now() - start;
			if (!(`+right+`)) throw new Error('wrong');
			return [ms]`)
		if err != nil {
			return nil, err
		}
		times = append(times, took...)
	}
	return times, nil
}

// smallPDFs times one run that reads the text of many small PDFs, all new to the worker.
func (l *lab) smallPDFs(ctx context.Context) ([]time.Duration, error) {
	folder := l.path(smallPDFs)
	if _, err := os.Stat(folder); err != nil {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
		for i := range smallOnes {
			data, err := l.createPDF(fmt.Sprintf("small-%d.pdf", i), prose(2, i))
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.pdf", i)), data, 0o600); err != nil {
				return nil, err
			}
		}
	}
	l.copies++
	for i := range smallOnes {
		data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%d.pdf", i)))
		if err != nil {
			return nil, err
		}
		body := fmt.Appendf(data, "%%%d\n", l.copies)
		if _, err := l.host.Files("").Put(ctx, sandboxd.Upload{Name: fmt.Sprintf("cold-%d.pdf", i), Replace: true, Body: bytes.NewReader(body)}); err != nil {
			return nil, err
		}
	}
	return l.timed(ctx, fmt.Sprintf(`const start = performance.now();
		for (let i = 0; i < %d; i++) {
			const { pages } = await files.pdf.extractText('cold-' + i + '.pdf');
			if (!pages.some(p => p.text.replace(/\s+/g, ' ').includes('In chapter 2 paragraph 4'))) throw new Error('wrong');
		}
		return [performance.now() - start]`, smallOnes))
}

// freshPDF is by how much the first call in a new worker takes longer than the second, the
// cache of compiled code being there.
func (l *lab) freshPDF(ctx context.Context, n int) (times []time.Duration, err error) {
	data, err := l.pdf(textPDF)
	if err != nil {
		return nil, err
	}
	for range n {
		dir, err := os.MkdirTemp(l.dir, "fresh-")
		if err != nil {
			return nil, err
		}
		host, err := sandboxd.Open(ctx, sandboxd.Config{Dir: filepath.Join(dir, "data"), Concurrency: 1})
		if err != nil {
			return nil, err
		}
		took, err := firstAndSecond(ctx, host, data)
		if err := host.Close(); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		times = append(times, max(took[0]-took[1], 0))
	}
	return times, nil
}

// firstAndSecond runs the same on two files that are new to the worker.
func firstAndSecond(ctx context.Context, host *sandboxd.Host, data []byte) (took [2]time.Duration, err error) {
	for i := range took {
		name := fmt.Sprintf("%d.pdf", i)
		body := fmt.Appendf(bytes.Clone(data), "%%%d\n", i)
		if _, err := host.Files("").Put(ctx, sandboxd.Upload{Name: name, Body: bytes.NewReader(body)}); err != nil {
			return took, err
		}
	}
	for i := range took {
		start := time.Now()
		answer := host.Run(ctx, sandboxd.Run{Script: fmt.Sprintf(`(await files.pdf.info("%d.pdf")).pageCount`, i)})
		if took[i] = time.Since(start); !answer.OK {
			return took, answer.Error
		}
	}
	return took, nil
}

// pdfWriter writes a PDF by its objects, which are numbered from 1.
type pdfWriter struct {
	b       bytes.Buffer
	offsets []int
}

func (w *pdfWriter) add(format string, args ...any) {
	if len(w.offsets) == 0 {
		w.b.WriteString("%PDF-1.7\n")
	}
	w.offsets = append(w.offsets, w.b.Len())
	fmt.Fprintf(&w.b, "%d 0 obj\n", len(w.offsets))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteString("\nendobj\n")
}

func (w *pdfWriter) stream(attributes, data string) {
	w.add("<<%s/Length %d>>stream\n%s\nendstream", attributes, len(data), data)
}

func (w *pdfWriter) bytes() []byte {
	start := w.b.Len()
	fmt.Fprintf(&w.b, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, at := range w.offsets {
		fmt.Fprintf(&w.b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&w.b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, start)
	return w.b.Bytes()
}

const pageOf = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>/XObject<<%s>>>>/Contents %d 0 R%s>>"

// prose is Markdown of some chapters, each with a list, a table and paragraphs.
func prose(chapters, seed int) string {
	var text strings.Builder
	words := strings.Fields("the quick brown fox jumps over a lazy dog while others, who had seen it before, say that nothing of the kind was ever written about foxes")
	for chapter := 1; chapter <= chapters; chapter++ {
		fmt.Fprintf(&text, "# Chapter %d\n\n- a point of chapter %d\n- and **another** one\n\n| Item | Count | Price |\n|---|---|---|\n", chapter, chapter)
		for i := range 6 {
			fmt.Fprintf(&text, "| Part %d | %d | %d.50 |\n", i, i*chapter, 3*i)
		}
		for paragraph := 1; paragraph <= 4; paragraph++ {
			fmt.Fprintf(&text, "\nIn chapter %d paragraph %d", chapter, paragraph)
			for i := range 70 {
				text.WriteString(" " + words[(i*i+7*i*paragraph+chapter+seed)%len(words)])
			}
			text.WriteString(".\n")
		}
	}
	return text.String()
}

// createPDF has sandboxd write a document, with the fonts in it as most have, and gives its bytes.
func (l *lab) createPDF(name, markdown string) ([]byte, error) {
	args, err := json.Marshal(map[string]string{"name": name, "markdown": markdown})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	answer := l.host.Run(ctx, sandboxd.Run{Script: `(await files.pdf.create(args.name, { markdown: args.markdown })).id`, Args: args})
	if !answer.OK {
		return nil, answer.Error
	}
	opened, err := l.host.Files("").Open(ctx, name, 0)
	if err != nil {
		return nil, err
	}
	defer opened.Data.Close()
	return io.ReadAll(io.NewSectionReader(opened.Data, 0, opened.File.Size))
}

// makeTextPDF is 40 pages of text in a font that every viewer has.
func makeTextPDF() []byte {
	const pages = 40
	var w pdfWriter
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	w.add("<</Type/Catalog/Pages 2 0 R>>")
	w.add("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	w.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for page := range pages {
		w.add(pageOf, "", 5+2*page, "")
		w.stream("", textLines(page+1, 55))
	}
	return w.bytes()
}

func textLines(page, lines int) string {
	var b strings.Builder
	b.WriteString("BT /F 9 Tf 13 TL 50 790 Td\n")
	for line := 1; line <= lines; line++ {
		fmt.Fprintf(&b, "(On page %d line %d the quick brown fox jumps over the lazy dog, and \\(as before\\) %d times.) Tj T*\n", page, line, page*line)
	}
	b.WriteString("ET\n")
	return b.String()
}

func makeFormPDF() []byte {
	const texts, checks = 200, 50
	var w pdfWriter
	var fields strings.Builder
	for i := range texts + checks {
		fmt.Fprintf(&fields, "%d 0 R ", 8+i)
	}
	w.add("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[%s]/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 9 Tf 0 g)>>>>", fields.String())
	w.add("<</Type/Pages/Count 1/Kids[4 0 R]>>")
	w.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	w.add(pageOf, "", 5, "/Annots["+fields.String()+"]")
	w.stream("", textLines(1, 5))
	w.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 g 2 2 5 5 re f")
	w.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "")
	for i := range texts {
		x, y := 30+110*(i%5), 700-14*(i/5)
		w.add("<</Type/Annot/Subtype/Widget/F 4/FT/Tx/T(text%d)/Rect[%d %d %d %d]/DA(/Helv 9 Tf 0 g)>>", i, x, y, x+100, y+12)
	}
	for i := range checks {
		x, y := 30+20*(i%25), 100-20*(i/25)
		w.add("<</Type/Annot/Subtype/Widget/F 4/FT/Btn/T(check%d)/V/Off/AS/Off/AP<</N<</Yes 6 0 R/Off 7 0 R>>>>/Rect[%d %d %d %d]>>", i, x, y, x+9, y+9)
	}
	return w.bytes()
}

func makeDrawPDF() []byte {
	var w pdfWriter
	w.add("<</Type/Catalog/Pages 2 0 R>>")
	w.add("<</Type/Pages/Count 1/Kids[4 0 R]>>")
	w.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	w.add(pageOf, "/X 6 0 R", 5, "")
	var content strings.Builder
	content.WriteString(textLines(1, 30) + "q 250 0 0 250 60 80 cm /X Do Q\n")
	for i := range 60 {
		angle := float64(i) / 60 * 2 * math.Pi
		fmt.Fprintf(&content, "%.2f %.2f 0.5 RG 450 200 m %.1f %.1f l S\n", float64(i)/60, 1-float64(i)/60, 450+110*math.Cos(angle), 200+110*math.Sin(angle))
	}
	w.stream("", content.String())
	const side = 400
	pixels := make([]byte, 0, 3*side*side)
	for y := range side {
		for x := range side {
			pixels = append(pixels, byte(x*y), byte(x+y), byte(x^y))
		}
	}
	w.stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %[1]d/BitsPerComponent 8/ColorSpace/DeviceRGB", side), string(pixels))
	return w.bytes()
}
