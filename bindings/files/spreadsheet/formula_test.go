package spreadsheet

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
)

func TestFormulaProblem(t *testing.T) {
	for _, formula := range []string{
		"A1", "-A1", "--A1", "+1", "@A1", "A1%", "A1*-1", "A1^-1", "A1=-1", "A1<>-1", "A1>=-1", "1E+5", "A1#", "A1:INDEX(A:A,3)", "(A1,B1)", "A:A 1:1",
		"SUM(,A1)", "SUM(A1,)", "INDEX(A1:B2,,1)", "PI()", "{1,2;3,4}", "{\"a;b\";-1}", `"a""b;c("&"'"`, "'it''s; (a'!A1", "'[B(.xlsx]A'!A1", "[1]Sheet!A1",
		"Orders[[#This Row],[Total '[€']]]*2", "Orders[a;b(]", "#REF!+1", "Sheet1!#REF!", "IF(A1=\"\",\"\",A1)", "LAMBDA(x,x+1)(2)", "cmd|'/c calc'!A1", "SUM(\n  A1,\n  B1\n)", "Übersicht!Ä1", "A1&\"==\"",
		"IF(TRUE,,)", "SUM(Jan:Mar!A1)", "A1 <> B1", "A1 > -B1",
	} {
		if why := formulaProblem(formula); why != "" {
			t.Errorf("%s: %s", formula, why)
		}
	}
	for formula, want := range map[string]string{
		"SUM(A1":           "a ( in it has no partner",
		"SUM(A1))":         "a ) in it has no partner",
		"{1,2":             "a { in it has no partner",
		"SUM({1)}":         "a ) in it has no partner",
		"SUM(A1;B1)":       "arguments are separated by commas, not by semicolons",
		`IF(A1;{1;2})`:     "arguments are separated by commas, not by semicolons",
		`"abc`:             "a text in it has no closing quote",
		`"a""`:             "a text in it has no closing quote",
		"'Sheet 1!A1":      "a sheet's name in it has no closing quote",
		"Orders[Total":     "a [ in it has no partner",
		"A1+":              "something is missing at its end",
		"A1&":              "something is missing at its end",
		"=":                "nothing stands before =",
		"===":              "== is no operator; equal is one =",
		"= Section ==":     "nothing stands before =",
		"IF(A1==1,2,3)":    "== is no operator; equal is one =",
		"IF(A1!=1,2,3)":    "!= is no operator; not equal is <>",
		"A1&&B1":           "&& is no operator; write AND(…) or OR(…)",
		"A1||B1":           "|| is no operator; write AND(…) or OR(…)",
		"A1*/B1":           "nothing stands before /",
		"SUM(A1,*B1)":      "nothing stands before *",
		"> see the README": "nothing stands before >",
	} {
		if why := formulaProblem(formula); why != want {
			t.Errorf("%s: %q, want %q", formula, why, want)
		}
	}
}

// No formula that a real workbook holds is refused.
func TestFormulaProblemOnTheCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/corpus/xlsx/*")
	if len(files) == 0 {
		t.Skip("no corpus beside the repository")
	}
	seen := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wb, err := xlsx.Open(t.Context(), bytes.NewReader(data), int64(len(data)), xlsx.Options{})
		if err != nil {
			continue
		}
		for i := range wb.Sheets() {
			wb.Formulas(t.Context(), i, func(f xlsx.Formula) error {
				seen++
				if why := formulaProblem(f.Text); why != "" {
					t.Errorf("%s: %s: %s", filepath.Base(path), f.Text, why)
				}
				return nil
			})
		}
	}
	t.Logf("%d formulas", seen)
}
