package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// workbook FILE writes a workbook with a small table.
func workbook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: workbook FILE")
	}
	book := excelize.NewFile()
	for at, row := range map[string][]any{
		"A1": {"Region", "Product", "Units", "Cost", "Price", "Note"},
		"A2": {"North", "Apples", 120, 7, 10, "in season"},
		"A3": {"South", "Pears", 80, 15, 20, nil},
		"A4": {"West", "Plums", 60, 21, 30, "last ones"},
	} {
		ts.Check(book.SetSheetRow("Sheet1", at, &row))
	}
	ts.Check(book.SaveAs(ts.MkAbs(args[0])))
}

// cells FILE SHEET CELL TEXT says what a cell of a workbook must show.
func cells(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: cells FILE SHEET CELL TEXT")
	}
	book, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer book.Close()
	got, err := book.GetCellValue(args[1], args[2])
	ts.Check(err)
	if got != args[3] {
		ts.Fatalf("%s!%s shows %q, want %q", args[1], args[2], got, args[3])
	}
}

// field VARIABLE FILE PATH sets a variable to a member of a JSON file, such as runs.0.id.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: field VARIABLE FILE PATH")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &value))
	for step := range strings.SplitSeq(args[2], ".") {
		switch in := value.(type) {
		case map[string]any:
			value = in[step]
		case []any:
			at, err := strconv.Atoi(step)
			ts.Check(err)
			value = in[at]
		default:
			ts.Fatalf("%s has no %s", args[1], args[2])
		}
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}
