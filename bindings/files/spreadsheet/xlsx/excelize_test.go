package xlsx

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

// excelizeCells reads a workbook's raw cell texts with excelize, which panics on some.
func excelizeCells(data []byte) (sheets map[string][][]string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sheets = map[string][][]string{}
	for _, name := range f.GetSheetList() {
		rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
		if err == nil {
			sheets[name] = rows
		}
	}
	return sheets, nil
}

// A second independent reader: excelize has the same cells, with the same raw texts.
func TestValuesEqualExcelize(t *testing.T) {
	if testing.Short() {
		t.Skip("shares nothing between goroutines, and excelize is slow")
	}
	cells, differ := 0, 0
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		if refused[name] != "" {
			continue // excelize does not end on one of them
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := excelizeCells(data)
		if err != nil {
			t.Logf("%s: excelize: %.80v", name, err)
			continue
		}
		ours, err := allValues(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for sheetName, rows := range theirs {
			for r, row := range rows {
				for c, text := range row {
					at := sheet.Ref{Col: c + 1, Row: r + 1}.String()
					got := ours[sheetName][at]
					if text == "" && got.Kind == sheet.Empty {
						continue
					}
					if cells++; !sameRaw(got, text) {
						differ++
						t.Logf("%s %s!%s: %v %q %v, excelize has %q", name, sheetName, at, got.Kind, got.Text, got.Num, text)
					}
				}
			}
		}
	}
	share := 100 * float64(cells-differ) / float64(cells)
	t.Logf("%d cells compared, %.2f%% equal", cells, share)
	if share < 99.5 || cells < 5000 {
		t.Errorf("%.2f%% of %d cells are equal", share, cells)
	}
}

func sameRaw(v sheet.Value, text string) bool {
	switch v.Kind {
	case sheet.Number, sheet.Date:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(a) }
		return same(n, v.Num) || v.Kind == sheet.Date && same(n+1462, v.Num)
	case sheet.Bool:
		return text == "1" && v.Num == 1 || text == "0" && v.Num == 0 || text == v.Plain()
	}
	return v.Text == text
}
