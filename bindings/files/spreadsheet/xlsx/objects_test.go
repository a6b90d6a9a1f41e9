package xlsx

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// decorated gives a sheet one of everything, away from its cells, twice.
func decorated(t testing.TB, wb *Workbook, i int) (*Edits, error) {
	t.Helper()
	e := &Edits{}
	used, _, err := wb.Used(t.Context(), i)
	if err != nil {
		return nil, err
	}
	red, bold := "FF0000", true
	col := min(used.MaxCol+3, sheet.MaxCol-4)
	for n := range 2 {
		area := sheet.Range{MinCol: col, MinRow: 10 + 5*n, MaxCol: col + 1, MaxRow: 13 + 5*n}
		for _, add := range []func() error{
			func() error {
				return e.AddTable(t.Context(), wb, i, NewTable{Name: fmt.Sprintf("Made%d", n), Area: area, Headers: []string{"a & b", "c\nd"}, Style: "TableStyleMedium2"})
			},
			func() error {
				return e.AddRule(i, Rule{Area: area, Kind: CellIs, Operator: "greaterThan", Formulas: []string{"1"}, Style: &StyleChange{Fill: &red, Bold: &bold}})
			},
			func() error { return e.AddRule(i, Rule{Area: area, Kind: ColorScale, Colors: []string{red, red}}) },
			func() error {
				return e.AddValidation(i, Validation{Area: area, Kind: "whole", Operator: "equal", Formulas: []string{"A1"}, Style: "stop", Error: "<no>"})
			},
			func() error {
				at := Place{wb.Sheets()[i].Name, area}
				return e.AddChart(i, Chart{Kind: "line", Title: "A & B", Series: []Series{{Values: at, Categories: at}}, At: sheet.Ref{Col: col, Row: 30 + 20*n}, Width: 300, Height: 200})
			},
		} {
			if err := add(); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// Whatever a workbook is like, it keeps its parts and values when tables, charts and rules
// are added, and every part is well-formed.
func TestObjectsOnTheCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	done := 0
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wb, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{MaxInflated: 64 << 20})
		if err != nil {
			continue
		}
		first := -1
		for i, info := range wb.Sheets() {
			if info.Kind == sheet.Worksheet && wb.sheets[i].part != nil {
				first = i
				break
			}
		}
		if first < 0 || wb.sheets[first].index.disordered() {
			continue
		}
		before, err := content(t, wb)
		if err != nil {
			continue // a damaged one
		}
		e, err := decorated(t, wb, first)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var out bytes.Buffer
		err = wb.Rewrite(t.Context(), &out, e)
		if code := problem.CodeOf(err); code == problem.UnsupportedFormat || code == problem.TooComplex {
			t.Logf("%s: %v", name, err)
			continue
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := Open(t.Context(), bytes.NewReader(out.Bytes()), int64(out.Len()), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after, err := content(t, again)
		if err != nil || before != after {
			t.Errorf("%s: values changed, %v", name, err)
		}
		for _, p := range wb.archive.order {
			if p != wb.calcChain && again.archive.find(p.name) == nil && !strings.HasSuffix(p.file.Name, "/") {
				t.Errorf("%s: the part %s is lost", name, p.name)
			}
		}
		text := partTexts(t, out.Bytes())
		for part, was := range partTexts(t, data) {
			if text[part] != was && xmlProblem(was) == nil {
				if err := xmlProblem(text[part]); err != nil && text[part] != "" {
					t.Errorf("%s: %s: %v", name, part, err)
				}
			}
			delete(text, part)
		}
		types := text["[Content_Types].xml"]
		if types == "" {
			types = partTexts(t, out.Bytes())["[Content_Types].xml"]
		}
		for part, made := range text {
			if !strings.HasSuffix(part, ".rels") && !strings.Contains(types, `PartName="/`+part+`"`) {
				t.Errorf("%s: nothing says what %s is", name, part)
			}
			if err := xmlProblem(made); err != nil {
				t.Errorf("%s: %s: %v", name, part, err)
			}
		}
		tables, err := (&Edits{}).Tables(t.Context(), again, first)
		if err != nil || len(tables) < 2 {
			t.Errorf("%s: %d tables, %v", name, len(tables), err)
		}
		done++
	}
	t.Logf("%d workbooks", done)
	if done < 60 {
		t.Errorf("only %d workbooks could be decorated", done)
	}
}

// content is all values of a workbook.
func content(t testing.TB, wb *Workbook) (string, error) {
	t.Helper()
	var out strings.Builder
	for i, info := range wb.Sheets() {
		if info.Kind != sheet.Worksheet || wb.sheets[i].part == nil {
			continue
		}
		fmt.Fprintln(&out, info.Name)
		err := wb.Rows(t.Context(), i, sheet.All(), func(row int, cells []sheet.Cell) error {
			for _, c := range cells {
				fmt.Fprintf(&out, "%d %d %v %v\n", row, c.Col, c.Value, c.Formula)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

func xmlProblem(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// A sheet that is written with a prefix, without anything behind its rows, and one that
// has all of it.
func TestObjectsFindTheirPlaces(t *testing.T) {
	for name, worksheet := range map[string]string{
		"bare":   rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`),
		"empty":  `<sheetData/>`,
		"around": rowsXML("") + `<conditionalFormatting sqref="A1"><cfRule type="expression" priority="7"><formula>A1</formula></cfRule></conditionalFormatting><dataValidations count="2"><dataValidation sqref="A1:Z99"/><dataValidation sqref="D10"/></dataValidations><hyperlinks/><pageMargins left="1"/><extLst/>`,
	} {
		wb := open(t, book(worksheet))
		e, err := decorated(t, wb, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := partTexts(t, rewritten(t, wb, e))["xl/worksheets/sheet1.xml"]
		last := -1
		for _, el := range []string{"</sheetData>", "<conditionalFormatting", "<dataValidations", "<hyperlinks", "<pageMargins", "<drawing", "<tableParts", "<extLst", "</worksheet>"} {
			at := strings.Index(text, el)
			if at < 0 && (name == "around" || !strings.Contains("<hyperlinks<pageMargins<extLst", el)) && !(name == "empty" && el == "</sheetData>") {
				t.Errorf("%s: no %s in %s", name, el, text)
			}
			if at >= 0 && at < last {
				t.Errorf("%s: %s stands too early in %s", name, el, text)
			}
			last = max(last, at)
		}
		if name == "around" {
			if !strings.Contains(text, `priority="8"`) || strings.Contains(text, `priority="1"`) {
				t.Errorf("new rules count before those that are there: %s", text)
			}
			if strings.Contains(text, `sqref="D10"`) || strings.Contains(text, `sqref="A1:Z99"`) {
				t.Errorf("old validations keep cells that new ones check: %s", text)
			}
		}
	}
}

func TestObjectsAreBounded(t *testing.T) {
	wb := open(t, book(rowsXML("")))
	e := &Edits{}
	var err error
	added := 0
	for ; err == nil && added < 1_000_000; added++ {
		err = e.AddRule(0, Rule{Area: area2(t, "A1"), Kind: Duplicates})
	}
	if problem.CodeOf(err) != problem.TooComplex || added > 2*maxObjects {
		t.Errorf("%d rules, then %v", added, err)
	}
	rewritten(t, wb, e)
}
