package xlsx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/numfmt"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Four workbooks of Apache POI hold formats, values, and what Excel shows for them.
func TestFormatsAsExcelShowsThem(t *testing.T) {
	corpus(t)
	total, differ := 0, 0
	for _, name := range []string{"poi__FormatConditionTests.xlsx", "poi__DateFormatTests.xlsx", "poi__ElapsedFormatTests.xlsx", "poi__DateFormatNumberTests.xlsx"} {
		data, err := os.ReadFile(filepath.Join("../../../../../shared/corpus/xlsx", name))
		if err != nil {
			t.Fatal(err)
		}
		wb := open(t, data)
		err = wb.Rows(t.Context(), 1, sheet.Range{MinCol: 1, MinRow: 2, MaxCol: 3, MaxRow: 10_000}, func(row int, cells []sheet.Cell) error {
			if len(cells) < 3 {
				return nil
			}
			f := numfmt.Parse(cells[1].Value.Text)
			want, got := cells[0].Value.Text, ""
			switch v := cells[2].Value; v.Kind {
			case sheet.Number, sheet.Date:
				if v.Kind == sheet.Number && wb.Date1904() && name == "poi__DateFormatNumberTests.xlsx" {
					v.Num += 1462 // the value is a date without a date's format
				}
				got = f.Number(v.Num)
			default:
				got = f.Text(v.Text)
			}
			if total++; got != want {
				differ++
				t.Logf("%s row %d: %q of %v is %q, Excel shows %q", name, row, cells[1].Value.Text, cells[2].Value.Any(), got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d formats differ", differ, total)
	if total < 150 || differ > 0 {
		t.Errorf("%d of %d formats differ from what Excel shows", differ, total)
	}
}
