package officetest

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// table is a sheet as LibreOffice has it.
type table struct {
	name  string
	cells map[sheet.Ref]sheet.Value
}

// readFODS reads a flat OpenDocument spreadsheet: its sheets and the typed values of
// their cells.
func readFODS(path string) (list []table, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	row, col, rows := 1, 1, 1
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		switch el := token.(type) {
		case xml.StartElement:
			switch el.Name.Local {
			case "table":
				if attr(el, "name") != "" && inTable(el) {
					list = append(list, table{attr(el, "name"), map[sheet.Ref]sheet.Value{}})
					row = 1
				}
			case "table-row":
				rows, col = repeated(el, "number-rows-repeated"), 1
			case "table-cell", "covered-table-cell":
				v, err := cellValue(d, el)
				if err != nil {
					return nil, err
				}
				n := repeated(el, "number-columns-repeated")
				if !v.IsEmpty() {
					for r := range rows {
						for c := range n {
							list[len(list)-1].cells[sheet.Ref{Col: col + c, Row: row + r}] = v
						}
					}
				}
				col += n
			case "shapes", "forms", "tracked-changes", "named-expressions", "dde-links", "object":
				if err := d.Skip(); err != nil {
					return nil, err
				}
			}
		case xml.EndElement:
			if el.Name.Local == "table-row" {
				row += rows
			}
		}
	}
}

func inTable(el xml.StartElement) bool { return strings.HasSuffix(el.Name.Space, ":table:1.0") }

func attr(el xml.StartElement, name string) string {
	for _, a := range el.Attr {
		if a.Name.Local == name && !strings.Contains(a.Name.Space, "calcext") {
			return a.Value
		}
	}
	return ""
}

func repeated(el xml.StartElement, name string) int {
	if n, err := strconv.Atoi(attr(el, name)); err == nil {
		return n
	}
	return 1
}

// cellValue reads a cell up to its end.
func cellValue(d *xml.Decoder, el xml.StartElement) (v sheet.Value, err error) {
	text, err := paragraphs(d)
	if err != nil {
		return v, err
	}
	for _, a := range el.Attr {
		if strings.Contains(a.Name.Space, "calcext") && a.Name.Local == "value-type" && a.Value == "error" {
			return sheet.Err(text), nil
		}
	}
	switch kind := attr(el, "value-type"); kind {
	case "":
		return v, nil
	case "float", "percentage", "currency":
		n, err := strconv.ParseFloat(attr(el, "value"), 64)
		return sheet.Num(n), err
	case "boolean":
		return sheet.Boolean(attr(el, "boolean-value") == "true"), nil
	case "date":
		serial, ok := sheet.ParseISO(attr(el, "date-value"))
		if !ok {
			return v, fmt.Errorf("the date %q", attr(el, "date-value"))
		}
		return sheet.Serial(serial), nil
	case "time":
		took, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(attr(el, "time-value"), "PT")))
		return sheet.Serial(took.Hours() / 24), err
	case "string":
		if text == "" {
			return v, nil
		}
		return sheet.Str(text), nil
	default:
		return v, fmt.Errorf("a value of the type %q", kind)
	}
}

// paragraphs gives the text of a cell, comments and shapes left out.
func paragraphs(d *xml.Decoder) (string, error) {
	var out strings.Builder
	depth, lines := 1, 0
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch el := token.(type) {
		case xml.StartElement:
			switch el.Name.Local {
			case "annotation", "frame", "custom-shape", "g", "control", "rect", "line", "detective":
				if err := d.Skip(); err != nil {
					return "", err
				}
				continue
			case "p":
				if lines++; lines > 1 {
					out.WriteByte('\n')
				}
			case "s":
				n := 1
				if c := attr(el, "c"); c != "" {
					n, _ = strconv.Atoi(c)
				}
				out.WriteString(strings.Repeat(" ", n))
			case "tab":
				out.WriteByte('\t')
			case "line-break":
				out.WriteByte('\n')
			}
			depth++
		case xml.EndElement:
			if depth--; depth == 0 {
				return out.String(), nil
			}
		case xml.CharData:
			if lines > 0 && depth > 1 {
				out.Write(el)
			}
		}
	}
}
