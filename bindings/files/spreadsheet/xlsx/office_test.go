package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// LibreOffice computes the formulas of the corpus before and after rows and columns were
// inserted: each must have the result that it had. What depends on where a cell is, or
// on the size of a range, is left out.
func TestFormulasComputeAsBefore(t *testing.T) {
	office, err := exec.LookPath("soffice")
	if err != nil || testing.Short() {
		t.Skip("LibreOffice is not here: make programs installs it where it may")
	}
	type pair struct {
		name  string
		lines map[int]*sheetEdits
		was   map[string]string // formulas
	}
	dir := t.TempDir()
	var pairs []pair
	var paths []string
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused[name] != "" {
			continue
		}
		wb := open(t, data)
		was := formulas(t, wb)
		computed := false
		for _, f := range was {
			computed = computed || !strings.HasPrefix(f, "=|")
		}
		if !computed {
			continue
		}
		var e Edits
		for i, info := range wb.Sheets() {
			if info.Kind != sheet.Worksheet || wb.sheets[i].part == nil {
				continue
			}
			used, _, err := wb.Used(t.Context(), i)
			if err != nil || used.MaxCol > 500 {
				continue
			}
			for _, err := range []error{
				e.InsertRows(t.Context(), wb, i, (used.MinRow+used.MaxRow)/2, 3),
				e.InsertColumns(t.Context(), wb, i, (used.MinCol+used.MaxCol)/2, 2),
				e.InsertRows(t.Context(), wb, i, 0, 1),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for k, content := range [][]byte{data, rewritten(t, wb, &e)} {
			p := filepath.Join(dir, fmt.Sprintf("%d-%d.xlsx", len(pairs), k))
			if err := os.WriteFile(p, withoutResults(t, content), 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, p)
		}
		pairs = append(pairs, pair{name, e.sheets, was})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, office, append([]string{"-env:UserInstallation=" + (&url.URL{Scheme: "file", Path: filepath.Join(dir, "profile")}).String(),
		"--headless", "--norestore", "--convert-to", "xlsx", "--outdir", filepath.Join(dir, "out")}, paths...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("LibreOffice: %v\n%s", err, out)
	}
	compared := 0
	for n, p := range pairs {
		var values [2]map[string]map[string]sheet.Value
		for k := range values {
			data, err := os.ReadFile(filepath.Join(dir, "out", fmt.Sprintf("%d-%d.xlsx", n, k)))
			if err != nil {
				if k == 1 && values[0] != nil {
					t.Errorf("%s: LibreOffice does not open it any more", p.name)
				}
				break
			}
			if values[k], err = allValues(t.Context(), data); err != nil {
				t.Fatal(err)
			}
		}
		if values[1] == nil {
			continue
		}
		wb := open(t, read(t, p.name))
		wrong := 0
		for i, info := range wb.Sheets() {
			own := p.lines[i]
			if own == nil {
				continue
			}
			for text, before := range values[0][info.Name] {
				f, _, _ := strings.Cut(strings.TrimPrefix(p.was[info.Name+"!"+text], "="), "|")
				if f == "" || placeDependent.MatchString(f) {
					continue
				}
				at := ref(t, text)
				at.Row, _ = own.lines.now(at.Row)
				at.Col, _ = own.columns.now(at.Col)
				after := values[1][info.Name][at.String()]
				compared++
				if !alike(before, after) {
					if wrong++; wrong <= 3 {
						t.Errorf("%s: %s!%s: %s was %v, is %v", p.name, info.Name, text, f, before, after)
					}
				}
			}
		}
	}
	t.Logf("%d formulas of %d workbooks", compared, len(pairs))
	if compared < 800 {
		t.Errorf("only %d formulas were compared", compared)
	}
}

// placeDependent are functions whose results change when cells move.
var placeDependent = regexp.MustCompile(`(?i)\b(ROWS?|COLUMNS?|INDIRECT|OFFSET|CELL|ADDRESS|RAND\w*|NOW|TODAY|INDEX|MATCH|[VH]?LOOKUP|COUNTBLANK|AREAS|INFO|SUBTOTAL|TABLE|MULTIPLE\.OPERATIONS|CHOOSE|FORMULA\w*)\(`)

func alike(a, b sheet.Value) bool {
	if a.Kind == sheet.Number && b.Kind == sheet.Number || a.Kind == sheet.Date && b.Kind == sheet.Date {
		return a.Num == b.Num || math.Abs(a.Num-b.Num) <= 1e-9*math.Max(math.Abs(a.Num), math.Abs(b.Num))
	}
	return a == b
}

func read(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("../../../../../shared/corpus/xlsx", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var result = regexp.MustCompile(`(?s)(<c [^>]*>\s*<f(?: [^>]*)?(?:/>|>[^<]*</f>))\s*<v>[^<]*</v>`)

// withoutResults takes the results of formulas out of a workbook, so that they are computed.
func withoutResults(t testing.TB, data []byte) []byte {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if !strings.Contains(f.Name, "worksheets/") || strings.HasSuffix(f.Name, ".rels") {
			if err := w.Copy(f); err != nil {
				t.Fatal(err)
			}
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		part, _ := w.Create(f.Name)
		part.Write(result.ReplaceAll(text, []byte("$1")))
	}
	w.Close()
	return out.Bytes()
}
