package spreadsheet_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/officetest"
	"github.com/sandboxd/sandboxd/op"
	"github.com/xuri/excelize/v2"
)

// repacked gives a package with each of its parts as change leaves it.
func repacked(t testing.TB, data []byte, change func(name, text string) string) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		w, err := to.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, change(f.Name, string(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// orders is a workbook with a table Orders in A3:F7 of the sheet Bob's shop, whose last row
// has totals, a sheet Sums, and what cells gives further cells, by sheet and place.
func orders(t testing.TB, cells map[string]map[string]string, names ...excelize.DefinedName) []byte {
	t.Helper()
	const shop = "Bob's shop"
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.SetSheetName("Sheet1", shop))
	_, err := f.NewSheet("Sums")
	must(err)
	for i, row := range [][]any{
		{"Item", "Price", "Quantity", "Total", "Odd [#1]'s", "Two words"},
		{"Tea", 2.5, 10, nil, 1, 7}, {"Milk", 1.25, 4, nil, 2, 8}, {"Rice", 3, 5, nil, 3, 9}, {"Total", nil, nil, nil, nil, "=not a formula"},
	} {
		must(f.SetSheetRow(shop, fmt.Sprintf("A%d", i+3), &row))
	}
	for _, name := range names {
		must(f.SetDefinedName(&name))
	}
	must(f.AddTable(shop, &excelize.Table{Range: "A3:F7", Name: "Orders"}))
	for row := 4; row <= 6; row++ {
		must(f.SetCellFormula(shop, fmt.Sprintf("D%d", row), "Orders[[#This Row],[Price]]*Orders[[#This Row],[Quantity]]"))
	}
	must(f.SetCellFormula(shop, "D7", "SUBTOTAL(109,Orders[Total])"))
	for sheet, list := range cells {
		for at, formula := range list {
			must(f.SetCellFormula(sheet, at, formula))
		}
	}
	var b bytes.Buffer
	must(f.Write(&b))
	return repacked(t, b.Bytes(), func(name, text string) string {
		if strings.HasPrefix(name, "xl/tables/") {
			text = strings.Replace(text, `ref="A3:F7"`, `ref="A3:F7" totalsRowCount="1"`, 1)
			text = strings.Replace(text, `<autoFilter ref="A3:F7"`, `<autoFilter ref="A3:F6"`, 1)
			text = strings.Replace(text, `name="Total"`, `name="Total" totalsRowFunction="sum"`, 1)
		}
		return text
	})
}

// calculatedCells are the formulas of a sheet: for each cell its value, and why it has none.
func calculatedCells(t testing.TB, r *run, file, sheet string) (values, why map[string]string) {
	t.Helper()
	values, why = map[string]string{}, map[string]string{}
	for _, v := range r.do("calculate", file, sheet).(op.Object)[1].Value.([]any) {
		cell := map[string]any{}
		for _, m := range v.(op.Object) {
			cell[m.Name] = m.Value
		}
		at := cell["cell"].(string)
		values[at] = fmt.Sprint(cell["value"])
		if cell["source"] == "cached" {
			why[at] = fmt.Sprint(cell["why"])
		}
	}
	return values, why
}

// Formulas over tables had the file's last results, which are wrong as soon as a cell has
// changed, or #NAME?.
func TestCalculateStructuredReferences(t *testing.T) {
	cases := []struct{ formula, want string }{
		{"SUM(Orders[Total])", "45"},
		{"SUM(orders[TOTAL])*2", "90"},
		{"Orders[[#Totals],[Total]]", "45"},
		{"SUM(Orders[[Price]:[Quantity]])", "25.75"},
		{"SUM(Orders[[#Data],[#Totals],[Total]])", "90"},
		{"COUNTA(Orders[[#All]])", "27"},
		{"COUNTA(Orders[[#Headers]])", "6"},
		{"COUNTA(Orders[[#Data]])", "18"},
		{"COUNTA(Orders[])", "18"},
		{"Orders[[#Headers],[Price]]", "Price"},
		{"SUM(Orders[[#All],[Price]])", "6.75"},
		{"SUM(Orders[Odd '['#1']''s])", "6"},
		{"SUM(Orders[[Odd '['#1']''s]])", "6"},
		{"SUM(Orders[[#Data], [Two words]])", "24"},
		{"SUM(Orders[Two words])", "24"},
		{`SUMIFS(Orders[Total],Orders[Item],"Milk")`, "5"},
		{`VLOOKUP("Rice",Orders[],3,FALSE)`, "5"},
		{`INDEX(Orders[Price],MATCH("Milk",Orders[Item],0))`, "1.25"},
		{`"Orders[Total] "&SUM(Orders[Quantity])`, "Orders[Total] 19"},
		{"ROWS(Orders[Item])", "3"},
		{"SUM('Bob''s shop'!D4:D6)", "45"},
		{"'Bob''s shop'!D4+1", "26"},
		{"SUM(Sold)", "45"},
		{"SUM(Priced)", "6.75"},
		{"First+1", "3.5"},
		{"SUM(FIRST,sold)", "47.5"},
		{"100*Rate", "19"},
		{"100*Refund", "-5"},
		{"Greeting&\"!\"", "Hello!"},
		{"SUM(Sums!Own)", "6.75"},
		{"SUM('Bob''s shop'!Own)", "19"},
		{"SUM(Own)", "6.75"},
	}
	sums, shop := map[string]string{}, map[string]string{
		"H4": "Orders[[#This Row],[Price]]", "H5": "Orders[[#This Row],[Price]]*10", "H6": "SUM(Orders[[#This Row],[Price]:[Quantity]])",
		"I4": "Orders[[#This Row],[Two words]]+1", "I6": "Orders[[#This Row],[Odd '['#1']''s]]",
		"I8": "Orders[Price]*2", "J4": "Orders[Price]", "J5": "Orders[Price]*2", "J6": "COUNTA(Orders[[#This Row]])",
	}
	for i, c := range cases {
		sums[fmt.Sprintf("A%d", i+1)] = c.formula
	}
	data := orders(t, map[string]map[string]string{"Sums": sums, "Bob's shop": shop},
		excelize.DefinedName{Name: "Sold", RefersTo: "Orders[Total]"},
		excelize.DefinedName{Name: "Priced", RefersTo: "'Bob''s shop'!$B$4:$B$6"},
		excelize.DefinedName{Name: "First", RefersTo: "'Bob''s shop'!$B$4"},
		excelize.DefinedName{Name: "Rate", RefersTo: "0.19"},
		excelize.DefinedName{Name: "Refund", RefersTo: "-0.05"},
		excelize.DefinedName{Name: "Greeting", RefersTo: `"Hello"`},
		excelize.DefinedName{Name: "Own", RefersTo: "'Bob''s shop'!$C$4:$C$6", Scope: "Bob's shop"},
		excelize.DefinedName{Name: "Own", RefersTo: "'Bob''s shop'!$B$4:$B$6", Scope: "Sums"},
	)
	r := newRun(t)
	r.host.Add(t, "b.xlsx", data)
	values, why := calculatedCells(t, r, "b.xlsx", "Sums")
	for i, c := range cases {
		if at := fmt.Sprintf("A%d", i+1); values[at] != c.want || why[at] != "" {
			t.Errorf("%s is %s (%s), want %s", c.formula, values[at], why[at], c.want)
		}
	}
	values, why = calculatedCells(t, r, "b.xlsx", "Bob's shop")
	for at, want := range map[string]string{
		"D4": "25", "D7": "45", "H4": "2.5", "H5": "12.5", "H6": "8", "I4": "8", "I6": "3",
		"I8": "[{error #VALUE!}]", "J4": "2.5", "J5": "2.5", "J6": "6",
	} {
		if values[at] != want || why[at] != "" {
			t.Errorf("%s, %s, is %s (%s), want %s", at, shop[at], values[at], why[at], want)
		}
	}
	// What the run has changed counts.
	r.do("writeCell", "b.xlsx", "Bob's shop", "B4", int64(10))
	if values, _ := calculatedCells(t, r, "b.xlsx", "Sums"); values["A1"] != "120" {
		t.Errorf("after a price has changed the sum is %s", values["A1"])
	}
	officetest.Check(t, map[string][]byte{"structured references": data})
}

// What LibreOffice does not know, or has other values for: the short forms as people type
// them, and rows that have no data.
func TestCalculateShortForms(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, map[string]map[string]string{
		"Bob's shop": {
			"E4": "[@Price]*[@Quantity]", "E5": "SUM([Quantity])", "E6": "[@[Two words]]+1", "H4": "Orders[@Price]", "H5": "Orders[@Price]*10",
			"H6": "SUM(Orders[@[Price]:[Quantity]])", "H7": "Orders[@Price]", "I4": "SUM(Orders[@[Two words]])", "I6": "COUNTA(Orders[@])",
			"I7": "SUM(Orders[[#This Row],[Quantity]])", "J4": "COUNTA(Orders[#All])", "J5": "COUNTA(Orders[#Data])", "J6": "COUNTA(Orders[#This Row])",
			"J7": "COUNTA(Orders)",
		},
		"Sums": {"A1": "[@Price]"},
	}))
	values, why := calculatedCells(t, r, "b.xlsx", "Bob's shop")
	for at, want := range map[string]string{"E4": "25", "E5": "19", "E6": "10", "H4": "2.5", "H5": "12.5", "H6": "8", "H7": "[{error #VALUE!}]", "I4": "7", "I6": "6", "I7": "[{error #VALUE!}]", "J4": "27", "J5": "18", "J6": "6", "J7": "18"} {
		if values[at] != want || why[at] != "" {
			t.Errorf("%s is %s (%s), want %s", at, values[at], why[at], want)
		}
	}
	if _, why := calculatedCells(t, r, "b.xlsx", "Sums"); why["A1"] == "" {
		t.Error("a short form outside of a table was computed")
	}
}

// A circle may go through a table or a name.
func TestCalculateTellsCirclesThroughTables(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, map[string]map[string]string{"Bob's shop": {"E5": "SUM(Orders[Odd '['#1']''s])"}, "Sums": {"A1": "SUM(Here)+1", "A2": "A1"}},
		excelize.DefinedName{Name: "Here", RefersTo: "Sums!$A$1:$B$1"}))
	shop, _ := calculatedCells(t, r, "b.xlsx", "Bob's shop")
	sums, _ := calculatedCells(t, r, "b.xlsx", "Sums")
	for at, value := range map[string]string{"E5": shop["E5"], "A1": sums["A1"], "A2": sums["A2"]} {
		if value != "[{error #CIRC!}]" {
			t.Errorf("%s is %s", at, value)
		}
	}
}

// What cannot be looked up keeps the file's result, and so does what is computed with
// ranges cell by cell: the library takes their first cell.
func TestCalculateKeepsWhatItCannotResolve(t *testing.T) {
	cells := map[string]string{
		"A1": "SUM(Orders[Nothing])", "A2": "SUM(Nowhere[Total])", "A3": "Many*2", "A4": "SUMPRODUCT(Orders[Price]*Orders[Quantity])",
		"A5": "SUMPRODUCT(--('Bob''s shop'!B4:B6>2))", "A6": "SUMPRODUCT(--(LEN(Orders[Item])>3),Orders[Price])", "A7": `SUM(INDIRECT("Orders[Price]"))`,
		"A8": "[1]Other!A1", "A9": "SUM([1]!Names)",
	}
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, map[string]map[string]string{"Sums": cells},
		excelize.DefinedName{Name: "Many", RefersTo: "SUM('Bob''s shop'!$B$4:$B$6)"}))
	values, why := calculatedCells(t, r, "b.xlsx", "Sums")
	for at, formula := range cells {
		if why[at] == "" {
			t.Errorf("%s was computed: %s", formula, values[at])
		}
	}
	// One that reads them has their results, or none at all.
	r = newRun(t)
	r.host.Add(t, "c.xlsx", repacked(t, orders(t, map[string]map[string]string{"Sums": {"A1": "SUM(Orders[Nothing])", "A2": "A1*2", "A3": "SUM(Nowhere[Total])", "A4": "A3*2", "A5": "SUM(A3:A4)", "A6": "IFERROR(A5,1)", "B1": "SUM(A1:A2)"}}),
		func(name, text string) string {
			return strings.Replace(text, "<f>SUM(Orders[Nothing])</f>", "<f>SUM(Orders[Nothing])</f><v>21</v>", 1)
		}))
	values, why = calculatedCells(t, r, "c.xlsx", "Sums")
	if values["A1"] != "21" || why["A1"] == "" || values["A2"] != "42" || values["B1"] != "63" || why["A4"] == "" || why["A5"] == "" || why["A6"] == "" {
		t.Errorf("%v, %v", values, why)
	}
}

// An array formula takes one cell of each range for each of its own; a function within it
// takes ranges as a whole.
func TestCalculateArrays(t *testing.T) {
	cells := map[string]string{"L4": "Orders[Price]*2", "M4": "Rate*Orders[[#This Row],[Price]]", "M5": "M5", "N4": "ROUND(Orders[Price],0)+IF(Orders[Quantity]>4,1,2)", "O4": "SUM(Orders[Price])*Orders[Quantity]"}
	forms := map[string]string{"L4": `t="array" ref="L4:L6"`, "M4": `t="shared" si="3" ref="M4:M5"`, "M5": "", "N4": `t="array" ref="N4:N6"`, "O4": `t="array" ref="O4:O6"`}
	data := repacked(t, orders(t, map[string]map[string]string{"Bob's shop": cells, "Sums": {"A1": "'Bob''s shop'!B4:B6*2"}}, excelize.DefinedName{Name: "Rate", RefersTo: "2"}),
		func(name, text string) string {
			for at, form := range forms {
				text = strings.Replace(text, "<f>"+strings.NewReplacer(">", "&gt;").Replace(cells[at])+"</f>", "<f "+form+">"+strings.NewReplacer(">", "&gt;").Replace(cells[at])+"</f>", 1)
			}
			text = strings.Replace(text, "<f >M5</f>", `<f t="shared" si="3"/>`, 1)
			return strings.Replace(text, "<f>&#39;Bob", `<f t="array" ref="A1:A3">&#39;Bob`, 1)
		})
	r := newRun(t)
	r.host.Add(t, "b.xlsx", data)
	values, why := calculatedCells(t, r, "b.xlsx", "Bob's shop")
	for at, want := range map[string]string{"L4": "5", "M4": "5", "M5": "2.5", "N4": "4"} {
		if values[at] != want || why[at] != "" {
			t.Errorf("%s is %s (%s), want %s", at, values[at], why[at], want)
		}
	}
	_, quoted := calculatedCells(t, r, "b.xlsx", "Sums")
	if why["O4"] == "" || quoted["A1"] == "" {
		t.Errorf("O4: %q, Sums!A1: %q", why["O4"], quoted["A1"])
	}
}

// A file must have structured references in full: Excel calls it damaged for the short forms
// that people and models type, and LibreOffice shows #NAME?.
func TestShortStructuredReferencesAreWrittenInFull(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, nil))
	const shop = "Bob's shop"
	r.do("writeRange", "b.xlsx", shop, "D4", []any{[]any{"=[@Price]*[@Quantity]"}, []any{"=Orders[@Price]+1"}, []any{"=SUM([@[Price]:[Quantity]])"}})
	r.do("writeCell", "b.xlsx", shop, "E4", "=COUNTA(Orders[@])&\" [@Price]\"")
	r.do("writeCell", "b.xlsx", shop, "E5", "=SUM([Quantity])*[@[Odd '['#1']''s]]")
	r.do("writeRange", "b.xlsx", "Sums", "A1", []any{[]any{"Net", "Gross"}, []any{int64(1), "=[@Net]*2"}})
	r.do("addTable", "b.xlsx", "Sums", "A1:B2", op.Object{{Name: "name", Value: "Taxes"}})
	r.do("appendRows", "b.xlsx", "Sums", []any{[]any{int64(2), "=[@Net]*3"}})
	r.do("insertRows", "b.xlsx", shop, int64(1), int64(1))
	r.do("writeCell", "b.xlsx", shop, "E7", "=[@[Two words]]")
	r.end()
	for at, want := range map[string]string{
		shop + "!D5": "Orders[[#This Row],[Price]]*Orders[[#This Row],[Quantity]]", shop + "!D6": "Orders[[#This Row],[Price]]+1",
		shop + "!D7": "SUM(Orders[[#This Row],[Price]:[Quantity]])", shop + "!E5": `COUNTA(Orders[#This Row])&" [@Price]"`,
		shop + "!E6": "SUM(Orders[Quantity])*Orders[[#This Row],[Odd '['#1']''s]]", shop + "!E7": "Orders[[#This Row],[Two words]]",
		"Sums!B2": "Taxes[[#This Row],[Net]]*2", "Sums!B3": "Taxes[[#This Row],[Net]]*3",
	} {
		sheet, cell, _ := strings.Cut(at, "!")
		got := ""
		for _, m := range r.next().do("readCell", "b.xlsx", sheet, cell).(op.Object) {
			if m.Name == "formula" {
				got = fmt.Sprint(m.Value)
			}
		}
		if strings.TrimPrefix(got, "=") != want {
			t.Errorf("%s has %s, want %s", at, got, want)
		}
	}
}
