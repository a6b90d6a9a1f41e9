package xlsx

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Writer makes a new workbook, sheet by sheet and row by row, so that a large one never
// has to be in memory. It is not safe for concurrent use.
type Writer struct {
	z      *zip.Writer
	names  []string
	open   *bufio.Writer // the sheet that is being written; nil if none is
	row    int           // the last row of it
	number []byte
}

// NewSheet describes a sheet that a Writer begins.
type NewSheet struct {
	Name   string
	Widths []float64 // of the columns from A on, in characters; 0 is the default
	Freeze int       // rows that stay in view at the top
}

// Input is what a new cell holds: a formula, without the leading =, or else a value.
type Input struct {
	Value   sheet.Value
	Formula string
}

// The styles that a new workbook has.
const (
	dayXf    = 1
	momentXf = 2
)

// NewWriter begins a workbook.
func NewWriter(w io.Writer) *Writer {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, compression)
	})
	return &Writer{z: z}
}

// Sheet begins a sheet; the one before it is complete. Names are the caller's to check.
func (w *Writer) Sheet(s NewSheet) error {
	if err := w.endSheet(); err != nil {
		return err
	}
	w.names = append(w.names, s.Name)
	part, err := w.z.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(w.names)))
	if err != nil {
		return err
	}
	w.open, w.row = bufio.NewWriterSize(part, 64<<10), 0
	w.open.WriteString(xmlHead + `<worksheet xmlns="` + mainSpace + `">`)
	if s.Freeze > 0 {
		fmt.Fprintf(w.open, `<sheetViews><sheetView workbookViewId="0"><pane ySplit="%d" topLeftCell="A%d" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`, s.Freeze, s.Freeze+1)
	}
	var cols strings.Builder
	for i, width := range s.Widths {
		if width > 0 {
			fmt.Fprintf(&cols, `<col min="%d" max="%d" width="%s" customWidth="1"/>`, i+1, i+1, number(width))
		}
	}
	if cols.Len() > 0 {
		w.open.WriteString("<cols>" + cols.String() + "</cols>")
	}
	_, err = w.open.WriteString("<sheetData>")
	return err
}

// Row adds a row behind the last one of the sheet. Empty cells take no room.
func (w *Writer) Row(cells []Input) error {
	w.row++
	begun := false
	for i, c := range cells {
		if c.Value.IsEmpty() && c.Formula == "" {
			continue
		}
		if !begun {
			begun = true
			w.open.WriteString(`<row r="`)
			w.int(w.row)
			w.open.WriteString(`">`)
		}
		w.cell(i+1, c)
	}
	if begun {
		w.open.WriteString("</row>")
	}
	// A bufio.Writer keeps its first error, and this asks for it.
	_, err := w.open.Write(nil)
	return err
}

func (w *Writer) int(n int) {
	w.number = strconv.AppendInt(w.number[:0], int64(n), 10)
	w.open.Write(w.number)
}

func (w *Writer) cell(col int, c Input) {
	out := w.open
	out.WriteString(`<c r="`)
	out.WriteString(sheet.ColName(col))
	w.int(w.row)
	v := c.Value
	switch {
	case c.Formula != "":
		out.WriteString(`"><f>`)
		out.WriteString(escapeText(c.Formula)) // formulas know no _xHHHH_
		out.WriteString("</f></c>")
		return
	case v.Kind == sheet.Date:
		xf := momentXf
		if v.Num == float64(int64(v.Num)) {
			xf = dayXf
		}
		out.WriteString(`" s="`)
		w.int(xf)
		out.WriteString(`"><v>`)
	case v.Kind == sheet.Number:
		out.WriteString(`"><v>`)
	case v.Kind == sheet.Bool:
		out.WriteString(`" t="b"><v>`)
	case v.Kind == sheet.Error:
		out.WriteString(`" t="e"><v>`)
		out.WriteString(escapeXML(v.Text))
		out.WriteString("</v></c>")
		return
	default:
		out.WriteString(`" t="inlineStr"><is><t`)
		if strings.TrimSpace(v.Text) != v.Text || strings.Contains(v.Text, "\n") {
			out.WriteString(` xml:space="preserve"`)
		}
		out.WriteString(">")
		out.WriteString(escapeXML(v.Text))
		out.WriteString("</t></is></c>")
		return
	}
	w.number = strconv.AppendFloat(w.number[:0], v.Num, 'G', -1, 64)
	out.Write(w.number)
	out.WriteString("</v></c>")
}

func (w *Writer) endSheet() error {
	if w.open == nil {
		return nil
	}
	w.open.WriteString("</sheetData></worksheet>")
	err := w.open.Flush()
	w.open = nil
	return err
}

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relsSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packRels  = "http://schemas.openxmlformats.org/package/2006/relationships"
	typeSpace = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// newStyles has the default look, and that of days and of moments.
const newStyles = `<styleSheet xmlns="` + mainSpace + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
	`<fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles><dxfs count="0"/></styleSheet>`

// Close writes what binds the sheets together. It does not close what it writes to.
func (w *Writer) Close() error {
	if err := w.endSheet(); err != nil {
		return err
	}
	var sheets, rels, types strings.Builder
	for i, name := range w.names {
		n := i + 1
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escapeXML(name), n, n)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n, relsSpace, n)
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, n, typeSpace)
	}
	for _, part := range []struct{ name, xml string }{
		{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + relsSpace + `"><bookViews><workbookView/></bookViews><sheets>` + sheets.String() + `</sheets><calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>`},
		{"xl/styles.xml", newStyles},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packRels + `">` + rels.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(w.names)+1, relsSpace)},
		{"_rels/.rels", `<Relationships xmlns="` + packRels + `"><Relationship Id="rId1" Type="` + relsSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + typeSpace + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + typeSpace + `styles+xml"/>` + types.String() + `</Types>`},
	} {
		out, err := w.z.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, xmlHead+part.xml); err != nil {
			return err
		}
	}
	return w.z.Close()
}
