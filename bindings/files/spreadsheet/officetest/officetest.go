// Package officetest has LibreOffice open the workbooks that tests have made, and compares
// what it sees in their cells with what this project's own reader does.
//
// Imports spreadsheet, sheet, xlsx, op and hosttest. Start reading at Check.
package officetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
)

// Check converts all workbooks, named by what made them, in one LibreOffice and compares
// every cell. Formulas that the file has no result for are compared with what calculate
// says. Without LibreOffice the test skips and says how to get it.
func Check(t *testing.T, books map[string][]byte) {
	t.Helper()
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip(howToGet)
	}
	dir := t.TempDir()
	names := slices.Sorted(maps.Keys(books))
	var paths []string
	for i, name := range names {
		path := filepath.Join(dir, fmt.Sprintf("%d.xlsx", i))
		if err := os.WriteFile(path, books[name], 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	if out, err := convert(ctx, office, dir, paths...).CombinedOutput(); err != nil {
		t.Fatalf("LibreOffice: %v\n%s", err, out)
	}
	cells := 0
	for i, name := range names {
		seen, err := readFODS(filepath.Join(dir, "out", fmt.Sprintf("%d.fods", i)))
		if errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: LibreOffice does not open it", name)
			continue
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cells += compare(t, name, books[name], seen)
	}
	t.Logf("%d workbooks, %d cells", len(names), cells)
}

const howToGet = "LibreOffice is not here: make programs installs it where it may"

// convert makes flat OpenDocument files of workbooks, in the folder out of dir. The
// profile is a new one, so that no other LibreOffice is in the way.
func convert(ctx context.Context, office, dir string, paths ...string) *exec.Cmd {
	args := []string{"-env:UserInstallation=" + (&url.URL{Scheme: "file", Path: filepath.Join(dir, "profile")}).String(),
		"--headless", "--norestore", "--convert-to", "fods", "--outdir", filepath.Join(dir, "out")}
	cmd := exec.CommandContext(ctx, office, append(args, paths...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	return cmd
}

// compare counts the cells that are alike.
func compare(t *testing.T, name string, data []byte, seen []table) (cells int) {
	t.Helper()
	ctx := t.Context()
	wb, err := xlsx.Open(ctx, bytes.NewReader(data), int64(len(data)), xlsx.Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0
	}
	infos := slices.DeleteFunc(wb.Sheets(), func(s sheet.Info) bool { return s.Kind != sheet.Worksheet })
	var mine, theirs []string
	for _, s := range infos {
		mine = append(mine, s.Name)
	}
	for _, s := range seen {
		theirs = append(theirs, s.name)
	}
	if !slices.Equal(mine, theirs) {
		t.Errorf("%s: the sheets are %q, LibreOffice has %q", name, mine, theirs)
		return 0
	}
	wrong := 0
	for i, info := range wb.Sheets() {
		if info.Kind != sheet.Worksheet {
			continue
		}
		theirs := seen[slices.IndexFunc(seen, func(s table) bool { return s.name == info.Name })]
		ours, formulas := values(t, wb, data, i)
		for _, at := range slices.SortedFunc(maps.Keys(union(ours, theirs.cells)), byPlace) {
			a, b := ours[at], theirs.cells[at]
			cells++
			if !alike(a, b) && !(formulas[at] && known(a, b)) {
				if wrong++; wrong <= 5 {
					t.Errorf("%s, %s!%s: %v %q, LibreOffice has %v %q", name, info.Name, at, a.Kind, a.Plain(), b.Kind, b.Plain())
				}
			}
		}
	}
	return cells
}

func byPlace(a, b sheet.Ref) int {
	if a.Row != b.Row {
		return a.Row - b.Row
	}
	return a.Col - b.Col
}

func union(a, b map[sheet.Ref]sheet.Value) map[sheet.Ref]bool {
	all := map[sheet.Ref]bool{}
	for at := range a {
		all[at] = true
	}
	for at := range b {
		all[at] = true
	}
	return all
}

// known are the ways in which calculate is less than LibreOffice: it may keep a formula's
// last result, which here is none, take a text of digits for a number, and follow a circle
// (522) to where it began.
func known(a, b sheet.Value) bool {
	return a.IsEmpty() || a.Plain() == b.Plain() || b.Text == "Err:522"
}

// values are a sheet's, those of formulas computed if the file has none.
func values(t *testing.T, wb *xlsx.Workbook, data []byte, i int) (all map[sheet.Ref]sheet.Value, computed map[sheet.Ref]bool) {
	t.Helper()
	all, computed = map[sheet.Ref]sheet.Value{}, map[sheet.Ref]bool{}
	err := wb.Rows(t.Context(), i, sheet.All(), func(row int, cells []sheet.Cell) error {
		for _, c := range cells {
			all[sheet.Ref{Col: int(c.Col), Row: row}] = c.Value
			if c.Formula && c.IsEmpty() {
				computed[sheet.Ref{Col: int(c.Col), Row: row}] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", wb.Sheets()[i].Name, err)
	}
	if len(computed) > 0 {
		for at, v := range calculated(t, data, wb.Sheets()[i].Name) {
			if computed[at] {
				all[at] = v
			}
		}
	}
	for at, v := range all {
		if v.IsEmpty() || v.Kind == sheet.String && v.Text == "" {
			delete(all, at) // LibreOffice does not tell these from blank cells
		}
	}
	return all, computed
}

// calculated are the formulas' values as the operation calculate gives them.
func calculated(t *testing.T, data []byte, name string) map[sheet.Ref]sheet.Value {
	t.Helper()
	h := hosttest.New(t)
	h.Add(t, "book.xlsx", data)
	env := op.NewEnv(h, limits.Limits{}, nil)
	o, _ := spreadsheet.Operations().Lookup("files.spreadsheet.calculate")
	in, wrong := o.BindJS([]any{"book.xlsx", name, ""})
	if wrong != nil {
		t.Fatal(wrong)
	}
	out, err := o.Call(t.Context(), env, in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[sheet.Ref]sheet.Value{}
	answer := o.ResultJS(out).(op.Object)
	for _, m := range answer {
		if m.Name != "cells" {
			continue
		}
		for _, cell := range m.Value.([]any) {
			c := map[string]any{}
			for _, m := range cell.(op.Object) {
				c[m.Name] = m.Value
			}
			at, err := sheet.ParseRef(c["cell"].(string))
			if err != nil {
				t.Fatal(err)
			}
			all[at] = valueOf(c["value"])
		}
	}
	return all
}

func valueOf(v any) sheet.Value {
	switch v := v.(type) {
	case bool:
		return sheet.Boolean(v)
	case int64:
		return sheet.Num(float64(v))
	case float64:
		return sheet.Num(v)
	case string:
		if serial, ok := sheet.ParseISO(v); ok && strings.HasSuffix(v, "Z") {
			return sheet.Serial(serial)
		}
		return sheet.Str(v)
	case op.Object:
		return sheet.Err(fmt.Sprint(v[0].Value))
	}
	return sheet.Value{}
}

// alike compares values. LibreOffice writes fifteen digits, times to the millisecond or
// so, and its own name for some errors.
func alike(a, b sheet.Value) bool {
	number := func(v sheet.Value) bool {
		return v.Kind == sheet.Number || v.Kind == sheet.Date || v.Kind == sheet.Bool
	}
	switch {
	case number(a) && number(b):
		return math.Abs(a.Num-b.Num) <= 1e-8*max(1e-3, math.Abs(a.Num))
	case a.Kind == sheet.Error && b.Kind == sheet.Error:
		return a.Text == b.Text || strings.HasPrefix(b.Text, "Err:")
	}
	return a.Kind == b.Kind && a.Text == b.Text
}
