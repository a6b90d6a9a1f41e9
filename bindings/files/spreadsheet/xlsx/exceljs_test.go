package xlsx

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// peerBook is a line of testdata/exceljs/values.js.
type peerBook struct {
	File   string
	Error  string
	Sheets []struct {
		Name  string
		Cells map[string]any
	}
}

// exceljs reads workbooks with ExcelJS. It skips where that is not installed.
func exceljs(t *testing.T, files []string) []peerBook {
	modules := "../../../../bench/peers/node_modules"
	if _, err := os.Stat(filepath.Join(modules, "exceljs")); err != nil {
		t.Skip("ExcelJS is not installed in bench/peers")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"../testdata/exceljs/values.js", modules}, files...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var books []peerBook
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var b peerBook
		if err := json.Unmarshal(lines.Bytes(), &b); err != nil {
			t.Fatal(err)
		}
		books = append(books, b)
	}
	return books
}

// Values are those of ExcelJS in at least 99.5% of the cells of the corpus, where it
// kept the cached result of a formula.
func TestValuesEqualExcelJS(t *testing.T) {
	if testing.Short() {
		t.Skip("takes Node some 15 s")
	}
	cells, differ, lost := 0, 0, 0
	for _, peer := range exceljs(t, corpus(t)) {
		name := filepath.Base(peer.File)
		if peer.Error != "" {
			t.Logf("%s: ExcelJS: %.80s", name, peer.Error)
			continue
		}
		data, err := os.ReadFile(peer.File)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := allValues(t.Context(), data)
		if refused[name] != "" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range peer.Sheets {
			mine, ok := ours[s.Name]
			if !ok {
				t.Errorf("%s: the sheet %q is missing", name, s.Name)
				continue
			}
			for ref, want := range s.Cells {
				if m, ok := want.(map[string]any); ok && m["lost"] == true {
					lost++
					delete(mine, ref)
					continue
				}
				cells++
				if got := mine[ref]; !sameValue(got, want) {
					differ++
					t.Logf("%s %s!%s: %v %q %v, ExcelJS has %v", name, s.Name, ref, got.Kind, got.Text, got.Num, want)
				}
				delete(mine, ref)
			}
			for ref, got := range mine {
				if got.Kind == sheet.String && got.Text == "" {
					continue
				}
				cells++
				differ++
				t.Logf("%s %s!%s: %v %q %v, ExcelJS has nothing", name, s.Name, ref, got.Kind, got.Text, got.Num)
			}
		}
	}
	share := 100 * float64(cells-differ) / float64(cells)
	t.Logf("%d cells compared, %.2f%% equal, %d without a result in ExcelJS", cells, share, lost)
	if share < 99.5 || cells < 5000 {
		t.Errorf("%.2f%% of %d cells are equal, want 99.5%% of 5000 or more", share, cells)
	}
}

func allValues(ctx context.Context, data []byte) (map[string]map[string]sheet.Value, error) {
	wb, err := Open(ctx, bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		return nil, err
	}
	sheets := map[string]map[string]sheet.Value{}
	for i, info := range wb.Sheets() {
		values := map[string]sheet.Value{}
		sheets[info.Name] = values
		if info.Kind == sheet.Chartsheet || info.Kind == sheet.Dialogsheet {
			continue
		}
		err := wb.Rows(ctx, i, sheet.All(), func(row int, cells []sheet.Cell) error {
			for _, c := range cells {
				if c.Kind != sheet.Empty {
					values[sheet.Ref{Col: int(c.Col), Row: row}.String()] = c.Value
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return sheets, nil
}

func sameValue(got sheet.Value, want any) bool {
	switch want := want.(type) {
	case float64:
		return got.Kind == sheet.Number && (got.Num == want || math.Abs(got.Num-want) <= 1e-12*math.Abs(want))
	case string:
		return got.Kind == sheet.String && got.Text == want
	case bool:
		return got.Kind == sheet.Bool && (got.Num != 0) == want
	case map[string]any:
		if date, ok := want["date"].(string); ok {
			return got.Kind == sheet.Date && got.ISO() == date
		}
		if code, ok := want["error"].(string); ok {
			return got.Kind == sheet.Error && got.Text == code
		}
	}
	return false
}
