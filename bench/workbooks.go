package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/flate"
)

// books keeps generated workbooks between benchmarks, outside of the repository.
func books() (string, error) {
	dir := filepath.Join(os.TempDir(), "sandboxd-bench-books")
	return dir, os.MkdirAll(dir, 0o755)
}

// workbook gives the path of a workbook of one sheet, Data, as Excel would write it:
// shared strings, decimals, dates. It is made once.
func workbook(rows, cols int) (string, error) {
	dir, err := books()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("%dx%d.xlsx", rows, cols))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := writeWorkbook(f, rows, cols); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return path, os.Rename(f.Name(), path)
}

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relsType = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	partType = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
	texts    = 5000
)

func writeWorkbook(w io.Writer, rows, cols int) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, 6) })
	part := func(name string, fill func(w *bufio.Writer)) error {
		out, err := z.Create(name)
		if err != nil {
			return err
		}
		buf := bufio.NewWriterSize(out, 64<<10)
		buf.WriteString(xmlHead)
		fill(buf)
		return buf.Flush()
	}
	text := func(xml string) func(*bufio.Writer) { return func(w *bufio.Writer) { w.WriteString(xml) } }
	for _, p := range []struct {
		name string
		fill func(*bufio.Writer)
	}{
		{"[Content_Types].xml", text(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + partType + `sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + partType + `worksheet+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + partType + `styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="` + partType + `sharedStrings+xml"/></Types>`)},
		{"_rels/.rels", text(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relsType + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`)},
		{"xl/workbook.xml", text(`<workbook ` + mainNS + ` xmlns:r="` + relsType + `"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`)},
		{"xl/_rels/workbook.xml.rels", text(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relsType + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relsType + `/styles" Target="styles.xml"/><Relationship Id="rId3" Type="` + relsType + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`)},
		{"xl/styles.xml", text(`<styleSheet ` + mainNS + `><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
			`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
			`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`)},
		{"xl/sharedStrings.xml", func(w *bufio.Writer) {
			fmt.Fprintf(w, `<sst %s count="%d" uniqueCount="%[2]d">`, mainNS, texts)
			for i := range texts {
				fmt.Fprintf(w, `<si><t>Customer name %d</t></si>`, i)
			}
			w.WriteString(`</sst>`)
		}},
		{"xl/worksheets/sheet1.xml", func(w *bufio.Writer) { writeSheet(w, rows, cols) }},
	} {
		if err := part(p.name, p.fill); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeSheet writes a row of headers and the others.
func writeSheet(w *bufio.Writer, rows, cols int) {
	names := make([]string, cols)
	for c := range names {
		names[c] = columnName(c)
	}
	fmt.Fprintf(w, `<worksheet %s><dimension ref="A1:%s%d"/><sheetData><row r="1">`, mainNS, names[cols-1], rows)
	for c := range cols {
		fmt.Fprintf(w, `<c r="%s1" t="inlineStr"><is><t>Column %s</t></is></c>`, names[c], names[c])
	}
	w.WriteString(`</row>`)
	var line []byte
	for r := 2; r <= rows; r++ {
		line = append(strconv.AppendInt(append(line[:0], `<row r="`...), int64(r), 10), `">`...)
		for c := range cols {
			n := int64(r*7919 + c*104729)
			line = append(append(line, `<c r="`...), names[c]...)
			line = strconv.AppendInt(line, int64(r), 10)
			switch c % 5 {
			case 0:
				line = strconv.AppendInt(append(line, `"><v>`...), int64(r), 10)
			case 1:
				line = strconv.AppendInt(append(line, `" t="s"><v>`...), n%texts, 10)
			case 2:
				line = strconv.AppendFloat(append(line, `" s="2"><v>`...), float64(n%10_000_000)/100, 'f', -1, 64)
			case 3:
				line = strconv.AppendInt(append(line, `" s="1"><v>`...), 40_000+n%6000, 10)
			default:
				line = strconv.AppendInt(append(line, `"><v>`...), n%1000, 10)
			}
			line = append(line, `</v></c>`...)
		}
		w.Write(append(line, `</row>`...))
	}
	w.WriteString(`</sheetData></worksheet>`)
}

func columnName(c int) string {
	if c < 26 {
		return string(rune('A' + c))
	}
	return columnName(c/26-1) + columnName(c%26)
}
