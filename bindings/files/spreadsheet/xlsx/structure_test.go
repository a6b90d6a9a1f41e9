package xlsx

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

// step is a change of a sheet, for a workbook and for a model of it.
type step struct {
	sheet            int
	columns, remove  bool
	at, count        int
	set              bool
	cell             sheet.Ref
	value            string
	name             string
	usedRows, usedCs int
}

func (s step) String() string {
	if s.set {
		return fmt.Sprintf("%d!%s=%q", s.sheet, s.cell, s.value)
	}
	what := map[bool]string{false: "rows", true: "columns"}[s.columns]
	return fmt.Sprintf("%d!%s %d+%d remove=%v", s.sheet, what, s.at, s.count, s.remove)
}

func (s step) edit(ctx context.Context, wb *Workbook, e *Edits) error {
	switch {
	case s.set:
		e.Set(s.sheet, s.cell, sheet.Str(s.value))
		return nil
	case s.remove && s.columns:
		return e.DeleteColumns(ctx, wb, s.sheet, s.at, s.count)
	case s.remove:
		return e.DeleteRows(ctx, wb, s.sheet, s.at, s.count)
	case s.columns:
		return e.InsertColumns(ctx, wb, s.sheet, s.at-1, s.count)
	}
	return e.InsertRows(ctx, wb, s.sheet, s.at-1, s.count)
}

// model does the same to a map of values, cell by cell.
func (s step) model(values map[string]sheet.Value) map[string]sheet.Value {
	if s.set {
		values[s.cell.String()] = sheet.Str(s.value)
		return values
	}
	out := map[string]sheet.Value{}
	for text, v := range values {
		at, _ := sheet.ParseRef(text)
		i := &at.Row
		if s.columns {
			i = &at.Col
		}
		switch {
		case *i < s.at:
		case !s.remove:
			*i += s.count
		case *i < s.at+s.count:
			continue
		default:
			*i -= s.count
		}
		out[at.String()] = v
	}
	return out
}

// steps makes up changes of a workbook's sheets.
func steps(t testing.TB, wb *Workbook, rnd *rand.Rand, count int) (list []step) {
	var sheets []int
	var used []sheet.Range
	for i, info := range wb.Sheets() {
		if (info.Kind == sheet.Worksheet || info.Kind == sheet.Macrosheet) && wb.sheets[i].part != nil && len(sheets) < 3 {
			r, _, err := wb.Used(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			sheets, used = append(sheets, i), append(used, r)
		}
	}
	if len(sheets) == 0 {
		return nil
	}
	for range count {
		k := rnd.IntN(len(sheets))
		s := step{sheet: sheets[k], columns: rnd.IntN(2) == 0, remove: rnd.IntN(5) < 2, count: 1 + rnd.IntN(3), set: rnd.IntN(4) == 0}
		rows, cols := used[k].MaxRow+2, used[k].MaxCol+2
		s.at = 1 + rnd.IntN(rows)
		if s.columns {
			s.at = 1 + rnd.IntN(cols)
		}
		s.cell, s.value = sheet.Ref{Col: 1 + rnd.IntN(cols), Row: 1 + rnd.IntN(rows)}, fmt.Sprintf("new %d", rnd.IntN(1000))
		list = append(list, s)
	}
	return list
}

// formulas lists what the cells of a workbook say, shared formulas as each cell has them.
func formulas(t testing.TB, wb *Workbook) map[string]string {
	out := map[string]string{}
	for i, info := range wb.Sheets() {
		s := wb.sheets[i]
		if s.part == nil || info.Kind == sheet.Chartsheet || info.Kind == sheet.Dialogsheet {
			continue
		}
		err := s.rows(t.Context(), sheet.All(), &cellParser{withFormulas: true}, func(row int, p *cellParser) error {
			for k, c := range p.cells {
				at := sheet.Ref{Col: int(c.Col), Row: row}
				f := p.formulas[k]
				if f.text == "" && f.shared >= 0 {
					text, err := s.shared.at(t.Context(), s, f.shared, at)
					if err != nil {
						return err
					}
					f.text = text
				}
				if f.text != "" || c.Kind != sheet.Empty {
					out[info.Name+"!"+at.String()] = fmt.Sprintf("=%s|%v|%v", f.text, c.Value, c.Style)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// On every workbook of the corpus rows and columns come and go at random, between edits
// of cells: values are where a model has them, no part is lost, what was well-formed
// stays so, excelize opens it, and all changes in one pass are the same as one by one.
func TestStructureOnCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("shares nothing between goroutines")
	}
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused[name] != "" {
			continue
		}
		seed := fnv.New64()
		io.WriteString(seed, name)
		rnd := rand.New(rand.NewPCG(seed.Sum64(), 7))
		for round := range structureRounds {
			wb := open(t, data)
			list := steps(t, wb, rnd, 1+rnd.IntN(6))
			checkStructure(t, fmt.Sprintf("%s, round %d, %v", name, round, list), data, list)
		}
	}
}

const structureRounds = 3

func checkStructure(t *testing.T, what string, data []byte, list []step) {
	wb := open(t, data)
	if len(list) == 0 {
		return
	}
	want, err := allValues(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	var e Edits
	single := data
	for _, s := range list {
		name := wb.Sheets()[s.sheet].Name
		if err := s.edit(t.Context(), wb, &e); err != nil {
			if strings.Contains(err.Error(), "no room") {
				continue // this sheet reaches its last column
			}
			t.Errorf("%s: %v", what, err)
			return
		}
		want[name] = s.model(want[name])
		one := open(t, single)
		var own Edits
		if err := s.edit(t.Context(), one, &own); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		single = rewritten(t, one, &own)
	}
	out := rewritten(t, wb, &e)
	got, err := allValues(t.Context(), out)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	headers := len(e.tables) > 0
	for s := range want {
		if diff := difference(want[s], got[s], headers); diff != "" {
			t.Errorf("%s: %q: %s", what, s, diff)
		}
	}
	a, b := formulas(t, open(t, out)), formulas(t, open(t, single))
	if !maps.Equal(a, b) {
		for k := range a {
			if a[k] != b[k] {
				t.Errorf("%s: %s: in one pass %s, one by one %s", what, k, a[k], b[k])
				break
			}
		}
		for k := range b {
			if _, ok := a[k]; !ok {
				t.Errorf("%s: %s is missing in one pass", what, k)
				break
			}
		}
	}
	if e.Empty() {
		return
	}
	old, now, apart := partTexts(t, data), partTexts(t, out), partTexts(t, single)
	var lost []string
	for _, table := range e.tables {
		if table.gone {
			lost = append(lost, table.part.name, relsOf(table.part.name))
		}
	}
	for part, text := range old {
		if strings.HasSuffix(part, "calcChain.xml") || slices.Contains(lost, part) {
			continue
		}
		after, ok := now[part]
		if !ok {
			t.Errorf("%s: part %s is gone", what, part)
			continue
		}
		if isWellFormed(text) && !isWellFormed(after) {
			t.Errorf("%s: part %s is not well-formed any more", what, part)
		}
		if !strings.Contains(part, "sheets/sheet") && apart[part] != after && strings.Join(strings.Fields(apart[part]), "") != strings.Join(strings.Fields(after), "") {
			t.Errorf("%s: part %s: in one pass\n%s\none by one\n%s", what, part, around(after, apart[part]), around(apart[part], after))
		}
	}
	if _, err := excelize.OpenReader(bytes.NewReader(data)); err == nil {
		f, err := excelize.OpenReader(bytes.NewReader(out))
		if err != nil {
			t.Errorf("%s: excelize: %v", what, err)
			return
		}
		for _, s := range f.GetSheetList() {
			if _, err := f.GetRows(s, excelize.Options{RawCellValue: true}); err != nil && !strings.Contains(err.Error(), "not a worksheet") {
				t.Errorf("%s: excelize: %s: %v", what, s, err)
			}
		}
	}
}

// around is what of a text differs from another one.
func around(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[max(i-100, 0):min(i+200, len(a))]
}

func isWellFormed(text string) bool {
	if !strings.HasPrefix(strings.TrimLeft(text, "\ufeff \r\n"), "<") {
		return false
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

// difference says what two maps of values differ in. Tables put headers into columns
// that are inserted among theirs.
func difference(want, got map[string]sheet.Value, headers bool) string {
	for at, v := range want {
		if got[at] != v && !(headers && strings.HasPrefix(got[at].Text, "Column")) {
			return fmt.Sprintf("%s is %v, want %v", at, got[at], v)
		}
	}
	for at, v := range got {
		if _, ok := want[at]; !ok && !(headers && strings.HasPrefix(v.Text, "Column")) {
			return fmt.Sprintf("%s is %v, want nothing", at, v)
		}
	}
	return ""
}
