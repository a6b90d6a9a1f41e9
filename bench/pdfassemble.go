package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
)

// The cases of putting PDFs together, beside pdf-lib on the same files.
const (
	mergeParts = 20        // the first half of 40 pages each, the others forms of 250 fields
	splitPDF   = "100.pdf" // 100 pages that share a font and a picture
)

var pdfAssembleCases = []benchmark{
	{
		name: "merge 20 PDFs, 410 pages and 2,500 form fields (pdf-lib, without the forms)", peer: "pdf-merge", arg: "part", n: 1,
		goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			if err := lab.mergeFiles(ctx); err != nil {
				return nil, err
			}
			return lab.timed(ctx, fmt.Sprintf(`const names = Array.from({ length: %d }, (_, i) => 'part' + i + '.pdf'), start = performance.now();
				const { id, pageCount, renamedFields } = await files.pdf.merge(names, 'merged.pdf');
				const ms = performance.now() - start;
				if (pageCount !== 410 || renamedFields.length !== 9 * 250) throw new Error('wrong');
				await files.delete(id);
				return [ms]`, mergeParts))
		},
	},
	{
		name: "split a PDF of 100 pages into its pages (pdf-lib)", peer: "pdf-split", arg: splitPDF, n: 1,
		goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			data, err := lab.splitFile()
			if err != nil {
				return nil, err
			}
			if _, err := lab.host.Files("").Put(ctx, sandboxd.Upload{Name: splitPDF, Replace: true, Body: bytes.NewReader(data)}); err != nil {
				return nil, err
			}
			return lab.timed(ctx, `const start = performance.now();
				const { files: parts } = await files.pdf.splitPages('100.pdf');
				const ms = performance.now() - start;
				if (parts.length !== 100) throw new Error('wrong');
				for (const part of parts) await files.delete(part.id);
				return [ms]`)
		},
	},
	{
		name: "number the 100 pages of a PDF by addText, a call for each (pdf-lib, once loaded)", peer: "pdf-number", arg: splitPDF, n: 1,
		goal: goal{text: "within 2×", ratio: 0.5},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			data, err := lab.splitFile()
			if err != nil {
				return nil, err
			}
			if _, err := lab.host.Files("").Put(ctx, sandboxd.Upload{Name: splitPDF, Replace: true, Body: bytes.NewReader(data)}); err != nil {
				return nil, err
			}
			return lab.timed(ctx, `const start = performance.now();
				for (let page = 1; page <= 100; page++) await files.pdf.addText('100.pdf', page, page + ' / 100', { x: 297, y: 20 }, { size: 9, align: 'center' });
				const { size } = await files.info('100.pdf');
				const ms = performance.now() - start;
				if (size < 1000) throw new Error('wrong');
				return [ms]`)
		},
	},
}

// mergeFiles are written for the peer and put into the workspace, once.
func (l *lab) mergeFiles(ctx context.Context) error {
	for i := range mergeParts {
		path := l.path(fmt.Sprintf("part%d", i))
		if _, err := os.Stat(path); err == nil {
			continue
		}
		data := makeTextPDF()
		if i >= mergeParts/2 {
			data = makeFormPDF()
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		if _, err := l.host.Files("").Put(ctx, sandboxd.Upload{Name: fmt.Sprintf("part%d.pdf", i), Body: bytes.NewReader(data)}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) splitFile() ([]byte, error) {
	data, err := os.ReadFile(l.path(splitPDF))
	if err == nil {
		return data, nil
	}
	const pages = 100
	var w pdfWriter
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 5+2*i)
	}
	w.add("<</Type/Catalog/Pages 2 0 R>>")
	w.add("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids.String())
	w.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	const side = 100
	w.stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %[1]d/BitsPerComponent 8/ColorSpace/DeviceGray", side), strings.Repeat("\x10\x80\xf0.", side*side/4))
	for page := range pages {
		w.add(pageOf, "/X 4 0 R", 6+2*page, "")
		w.stream("", textLines(page+1, 55)+"q 40 0 0 40 500 20 cm /X Do Q\n")
	}
	data = w.bytes()
	return data, os.WriteFile(l.path(splitPDF), data, 0o600)
}
