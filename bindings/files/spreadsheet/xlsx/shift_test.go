package xlsx

import (
	"strings"
	"testing"
)

// What references become, by Excel's rules. Formulas belong to the sheet S; what is
// inserted or deleted is on S too, unless the case says otherwise.
func TestFormulasFollow(t *testing.T) {
	rows := func(at, count int) shift { return shift{sheet: "S", at: at, count: count} }
	noRows := func(at, count int) shift { return shift{sheet: "S", at: at, count: count, delete: true} }
	cols := func(at, count int) shift { return shift{sheet: "S", at: at, count: count, columns: true} }
	noCols := func(at, count int) shift { return shift{sheet: "S", at: at, count: count, columns: true, delete: true} }
	on := func(s shift, name string) shift { s.sheet = name; return s }
	order := []string{"Jan", "Feb", "Mar", "My Sheet", "S"}
	for _, c := range []struct {
		change     change
		text, want string
	}{
		// Cells, absolute or not, move when what is inserted is above or at them.
		{rows(5, 2), "A4+A5+$A$5+A$6+$A7", "A4+A7+$A$7+A$8+$A9"},
		{cols(3, 1), "B1+C1+$C$1+D1+AA1", "B1+D1+$D$1+E1+AB1"},
		{rows(5, 2), "a5+Aa$10", "A7+AA$12"},
		// Ranges grow when it is within, and move when it is above; at the end they stay.
		{rows(5, 2), "SUM(A1:A10)+SUM(A5:A10)+SUM(A1:A4)+SUM(A1:A5)", "SUM(A1:A12)+SUM(A7:A12)+SUM(A1:A4)+SUM(A1:A7)"},
		{cols(2, 3), "SUM(A1:B2)+SUM(B1:C1)+SUM($A1:A$9)", "SUM(A1:E2)+SUM(E1:F1)+SUM($A1:A$9)"},
		// Deleted cells are errors; ranges become smaller.
		{noRows(5, 2), "A4+A5+A6+A7", "A4+#REF!+#REF!+A5"},
		{noRows(5, 2), "SUM(A1:A10)+SUM(A5:A6)+SUM(A6:A10)+SUM(A1:A5)+SUM(A7:A9)+SUM($A$5:$A$7)", "SUM(A1:A8)+SUM(#REF!)+SUM(A5:A8)+SUM(A1:A4)+SUM(A5:A7)+SUM($A$5:$A$5)"},
		{noCols(2, 2), "A1+B1+C1+D1+SUM(A1:C9)+SUM(B1:C9)+SUM(C2:E2)", "A1+#REF!+#REF!+B1+SUM(A1:A9)+SUM(#REF!)+SUM(B2:C2)"},
		// Corners in any order.
		{rows(5, 2), "SUM(A10:A1)+SUM(B$9:A$6)", "SUM(A12:A1)+SUM(B$11:A$8)"},
		{noRows(5, 2), "SUM(A10:A1)", "SUM(A8:A1)"},
		// Whole rows and columns.
		{rows(5, 2), "SUM(1:10)+SUM($5:$5)+SUM(A:C)+SUM($A:$A)", "SUM(1:12)+SUM($7:$7)+SUM(A:C)+SUM($A:$A)"},
		{cols(2, 1), "SUM(1:10)+SUM(A:C)+SUM($B:$B)+SUM(A:A)", "SUM(1:10)+SUM(A:D)+SUM($C:$C)+SUM(A:A)"},
		{noCols(2, 1), "SUM(B:B)+SUM(A:C)+SUM(1:3)", "SUM(#REF!)+SUM(A:B)+SUM(1:3)"},
		{noRows(1, 3), "SUM(1:3)+SUM(2:5)+A1:A1048576", "SUM(#REF!)+SUM(1:2)+A1:A1048576"},
		// The end of the sheet.
		{rows(1, 10), "A1048570+SUM(A5:A1048570)+SUM(A1048575:A1048576)+A1048566", "#REF!+SUM(A15:A1048576)+SUM(#REF!)+A1048576"},
		{cols(1, 1), "XFD1+XFC1+SUM(A1:XFD1)", "#REF!+XFD1+SUM(A1:XFD1)"},
		{noRows(3, 2), "SUM(A5:A1048576)", "SUM(A3:A1048574)"},
		// Sheets: those in question, quoted or not, in any case; others stay.
		{rows(5, 2), "S!A5+Other!A5+'S'!A5:B6+s!$A$5", "S!A7+Other!A5+S!A7:B8+s!$A$7"},
		{on(rows(5, 2), "My Sheet"), "A5+'My Sheet'!A5+'my sheet'!A5:A9+SUM('It''s'!A5)", "A5+'My Sheet'!A7+'my sheet'!A7:A11+SUM('It''s'!A5)"},
		{on(rows(2, 1), "It's"), "'It''s'!A5&\"'It''s'!A5\"", "'It''s'!A6&\"'It''s'!A5\""},
		{on(rows(3, 2), "2024"), "SUM('2024'!A1:A9)", "SUM('2024'!A1:A11)"},
		{on(rows(3, 2), "2024"), "SUM('2024'!A3:A9)", "SUM('2024'!A5:A11)"},
		{on(noRows(5, 2), "Other"), "Other!A5+A5+SUM(Other!A1:A6)", "Other!#REF!+A5+SUM(Other!A1:A4)"},
		{on(rows(1, 1), "Übersicht"), "Übersicht!A1+übersicht!B2", "Übersicht!A2+übersicht!B3"},
		// Through several sheets: the others' cells do not move.
		{rows(5, 2), "SUM(Jan:Mar!A5)+SUM('Jan:My Sheet'!A5)+SUM(S:S!A5)", "SUM(Jan:Mar!A5)+SUM('Jan:My Sheet'!A5)+SUM(S:S!A7)"},
		// What is no reference: texts, names, functions, numbers, other workbooks, errors.
		{rows(5, 2), `"A5"&LOG10(A5)&A5B&_A5&A5_x&"say ""A5"""&1.5E5&5&TRUE`, `"A5"&LOG10(A7)&A5B&_A5&A5_x&"say ""A5"""&1.5E5&5&TRUE`},
		{rows(1, 1), "[1]S!A5+'[Book 2.xlsx]S'!A5+[1]!Name+'C:\\[b.xlsx]S'!$A$1+A1", "[1]S!A5+'[Book 2.xlsx]S'!A5+[1]!Name+'C:\\[b.xlsx]S'!$A$1+A2"},
		{rows(1, 1), "#REF!+S!#REF!+#REF!A5+#N/A+A5#+#NAME?", "#REF!+S!#REF!+#REF!A5+#N/A+A6#+#NAME?"},
		{rows(1, 1), "Table1[[#This Row],[A5]]+Table1[Col '[A5']]+[@A5]+A5", "Table1[[#This Row],[A5]]+Table1[Col '[A5']]+[@A5]+A6"},
		{rows(1, 1), "Name+S!Name+TAX2024+A1.B2+Sum.A1", "Name+S!Name+TAX2025+A1.B2+Sum.A1"},
		{rows(1, 1), "{1,2;3,4}*A1:B2", "{1,2;3,4}*A2:B3"},
		{rows(1, 1), "A1:INDEX(B:B,5)+OFFSET(A1,1,1):C9", "A2:INDEX(B:B,5)+OFFSET(A2,1,1):C10"},
		{rows(1, 1), "IF(A1>=B1,A1:A3 A2:B2,-A1%)", "IF(A2>=B2,A2:A4 A3:B3,-A2%)"},
		{rows(1, 1), "_xlfn.SINGLE(A1)+@A1", "_xlfn.SINGLE(A2)+@A2"},
		{rows(1, 1), "XFE1+A1048577+A0+AAAA1", "XFE1+A1048577+A0+AAAA1"},
		// A sheet gets another name.
		{rename{"S", "My S"}, "S!A1+'S'!B2+SUM(S:Mar!A1)+S!Name+S(1)+\"S!A1\"+s!A1+S!#REF!", "'My S'!A1+'My S'!B2+SUM('My S:Mar'!A1)+'My S'!Name+S(1)+\"S!A1\"+'My S'!A1+'My S'!#REF!"},
		{rename{"My Sheet", "It's"}, "'My Sheet'!A1", "'It''s'!A1"},
		{rename{"My Sheet", "Data"}, "'My Sheet'!A1:B2+'[1]My Sheet'!A1", "Data!A1:B2+'[1]My Sheet'!A1"},
		{rename{"S", "2024"}, "S!A1", "'2024'!A1"},
		{rename{"S", "A1"}, "S!A1", "'A1'!A1"},
		{rename{"S", "RC"}, "S!A1", "'RC'!A1"},
		{rename{"S", "R1C1"}, "S!A1", "'R1C1'!A1"},
		{rename{"S", "Rate"}, "S!A1", "Rate!A1"},
		{rename{"S", "TRUE"}, "S!A1", "'TRUE'!A1"},
		{rename{"S", "Größe_1.x"}, "S!A1", "Größe_1.x!A1"},
		{rename{"S", "a-b"}, "S!A1", "'a-b'!A1"},
		// A sheet is deleted.
		{removal{"Feb", order}, "Feb!A1+SUM(Feb!A:A)+Feb!Name+Jan!A1+A1+'Feb'!A1:B2", "#REF!+SUM(#REF!)+#REF!+Jan!A1+A1+#REF!"},
		{removal{"Jan", order}, "SUM(Jan:Mar!A1)+SUM(Jan:Feb!A1)+SUM(Feb:Mar!A1)", "SUM(Feb:Mar!A1)+SUM(Feb!A1)+SUM(Feb:Mar!A1)"},
		{removal{"Mar", order}, "SUM(Jan:Mar!A1)+SUM(Mar:Jan!A1)+SUM('Mar:My Sheet'!A1)", "SUM(Jan:Feb!A1)+SUM(Feb:Jan!A1)+SUM('My Sheet'!A1)"},
		// Tables.
		{tableGone{"Sales"}, "SUM(Sales[Amount])+Other[Amount]+SALES[[#This Row],[x]]", "SUM(#REF!)+Other[Amount]+#REF!"},
		{tableRenamed{"Sales", "Sales_1"}, "SUM(Sales[Amount])+Other[Sales]", "SUM(Sales_1[Amount])+Other[Sales]"},
	} {
		if got := (changes{c.change}).formula(c.text, "S"); got != c.want {
			t.Errorf("%+v:\n     %s\n got %s\nwant %s", c.change, c.text, got, c.want)
		}
	}
}

// One change after the other is not the same as both at once.
func TestChangesInOrder(t *testing.T) {
	list := changes{shift{sheet: "S", at: 4, count: 2}, shift{sheet: "S", at: 3, count: 1, delete: true}, rename{"S", "T"}, shift{sheet: "T", at: 1, count: 1}}
	if got := list.formula("SUM(S!A3:A9)+S!A3+A3", "S"); got != "SUM(T!A4:A11)+T!#REF!+#REF!" {
		t.Error(got)
	}
}

// A validation's formulas are those of its first cell: when that is deleted, they are
// those of the first one that stays.
func TestRelativeFormulas(t *testing.T) {
	for _, c := range []struct {
		s                   shift
		areas, text         string
		wantAreas, wantText string
	}{
		{shift{at: 2, count: 1, delete: true}, "A2:A10", "A2>$B$1", "A2:A9", "A2>$B$1"},
		{shift{at: 2, count: 3, delete: true}, "A2:A10 C3:C4", "A2>B2", "A2:A7", "A2>B2"},
		{shift{at: 2, count: 9, delete: true}, "A2:A10", "A2>B2", "", ""},
		{shift{at: 1, count: 2}, "A2:A10", "A2>B$1", "A4:A12", "A4>B$3"},
		{shift{at: 1, count: 1, delete: true, columns: true}, "A2:B10", "A2>5", "A2:A10", "A2>5"},
		{shift{at: 5, count: 1}, "A2:A10 B1", "SUM(A$2:A4)", "A2:A11 B1", "SUM(A$2:A4)"},
	} {
		c.s.sheet = "S"
		areas, texts := (changes{c.s}).relative(c.areas, []string{c.text}, "S")
		if areas != c.wantAreas || areas != "" && texts[0] != c.wantText {
			t.Errorf("%+v of %s %s: %s %s", c.s, c.areas, c.text, areas, texts[0])
		}
	}
}

// Whatever a formula is, moving it there and back gives it again, and nothing panics.
func FuzzFormula(f *testing.F) {
	for _, s := range []string{"SUM('It''s'!$A$1:B2)", "[1]S!A1", "T[[#This Row],['[x]]+A1:B2", "#REF!A1", `"a""b"&A1`, "Jan:Mar!A:A", "1:5+$3:$4", "'x", "[", "A1:", "!A1", "S!", "''!A1", "''!A''!A11"} {
		f.Add(s, 3, 2)
	}
	f.Fuzz(func(t *testing.T, text string, at, count int) {
		if len(text) > 2000 {
			return
		}
		at, count = max(at&0xff, 1), max(count&0xf, 1)
		for _, columns := range []bool{false, true} {
			in := changes{shift{sheet: "S", at: at, count: count, columns: columns}}
			out := changes{shift{sheet: "S", at: at, count: count, columns: columns, delete: true}}
			once := in.formula(text, "S")
			if strings.Count(once, "#REF!") > strings.Count(text, "#REF!") || strings.Contains(text, "104857") || strings.Contains(strings.ToUpper(text), "X") {
				continue // pushed off the sheet, or near to
			}
			back := out.formula(once, "S")
			again := in.formula(back, "S")
			if again != once {
				t.Errorf("%q at %d, %d: %q, %q, %q", text, at, count, once, back, again)
			}
		}
		(changes{rename{"S", "It's"}, removal{"T", []string{"S", "T", "U"}}, tableGone{"T"}}).formula(text, "S")
		moveFormula(text, count, -at)
	})
}
