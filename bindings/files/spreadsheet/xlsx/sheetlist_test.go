package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/xuri/excelize/v2"
)

// faults lists what is wrong with a package: relationships that lead nowhere, types of
// parts that are not there, parts without a type, ids that come twice.
func faults(t testing.TB, data []byte) map[string]bool {
	t.Helper()
	wb := open(t, data)
	out := map[string]bool{}
	types, err := wb.contentTypes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name := range types.names {
		if wb.archive.find(name) == nil {
			out["a type for the missing part "+name] = true
		}
	}
	for _, p := range wb.archive.order {
		if of := types.of(p.name); (of == "" || of == "application/xml" && strings.HasPrefix(p.name, "xl/")) && p.name != "[Content_Types].xml" {
			out["no type for "+p.name] = true
		}
		links, err := wb.links(t.Context(), p.name)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, l := range links {
			if seen[l.id] {
				out["relationship "+l.id+" of "+p.name+" comes twice"] = true
			}
			seen[l.id] = true
			if !l.external && !strings.HasPrefix(l.target, "#") && wb.archive.find(resolve(p.name, l.target)) == nil {
				out[p.name+" refers to the missing "+l.target] = true
			}
		}
	}
	ids := map[string]bool{}
	for _, p := range wb.archive.order {
		if types.kindOf(p.name) != "table" {
			continue
		}
		root, err := wb.tree(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, attr := range []string{"id", "displayName"} {
			if key := attr + " " + strings.ToLower(root.get(attr)); ids[key] {
				out["a table's "+key+" comes twice"] = true
			} else {
				ids[key] = true
			}
		}
	}
	return out
}

func written(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// On every workbook of the corpus sheets are added, renamed, copied and deleted.
func TestSheetsOnCorpus(t *testing.T) {
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
		wb := open(t, data)
		first := -1
		for i, info := range wb.Sheets() {
			if info.Kind == sheet.Worksheet && wb.sheets[i].part != nil {
				first = i
				break
			}
		}
		if first < 0 {
			continue
		}
		before, err := allValues(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		known := faults(t, data)
		source := wb.Sheets()[first].Name
		check := func(what string, out []byte, want map[string]map[string]sheet.Value) {
			t.Helper()
			got, err := allValues(t.Context(), out)
			if err != nil {
				t.Errorf("%s: %s: %v", name, what, err)
				return
			}
			if len(got) != len(want) {
				t.Errorf("%s: %s: %d sheets, want %d", name, what, len(got), len(want))
			}
			for s := range want {
				if diff := difference(want[s], got[s], false); diff != "" {
					t.Errorf("%s: %s: %q: %s", name, what, s, diff)
				}
			}
			for fault := range faults(t, out) {
				// One workbook has two parts of one name but for the case of a letter.
				if !known[fault] && !strings.Contains(name, "duplicate-filename") {
					t.Errorf("%s: %s: %s", name, what, fault)
				}
			}
			old, now := partTexts(t, data), partTexts(t, out)
			for part, text := range now {
				if isWellFormed(old[part]) && !isWellFormed(text) {
					t.Errorf("%s: %s: %s is not well-formed", name, what, part)
				}
			}
			if _, err := excelize.OpenReader(bytes.NewReader(data)); err == nil {
				if _, err := excelize.OpenReader(bytes.NewReader(out)); err != nil {
					t.Errorf("%s: %s: excelize: %v", name, what, err)
				}
			}
		}
		with := func(s string, values map[string]sheet.Value) map[string]map[string]sheet.Value {
			want := maps.Clone(before)
			want[s] = values
			return want
		}

		added := written(t, func(w io.Writer) error { return wb.AddSheet(t.Context(), w, &Edits{}, "It's new") })
		check("add", added, with("It's new", map[string]sheet.Value{}))
		for part, text := range partTexts(t, data) {
			switch {
			case part == wb.main.file.Name, strings.HasSuffix(part, "workbook.xml.rels"), part == "[Content_Types].xml", strings.HasSuffix(part, "calcChain.xml"):
			case partTexts(t, added)[part] != text:
				t.Errorf("%s: add: part %s changed", name, part)
			}
		}

		renamed := written(t, func(w io.Writer) error { return wb.RenameSheet(t.Context(), w, &Edits{}, first, "O'Neil 7") })
		want := with("O'Neil 7", before[source])
		delete(want, source)
		check("rename", renamed, want)
		back := written(t, func(w io.Writer) error {
			return open(t, renamed).RenameSheet(t.Context(), w, &Edits{}, first, source)
		})
		check("rename back", back, before)
		a, b := formulas(t, wb), formulas(t, open(t, back))
		for k := range a {
			if normal(a[k]) != normal(b[k]) {
				t.Errorf("%s: %s: renamed there and back, %s is %s", name, k, a[k], b[k])
				break
			}
		}

		copied := written(t, func(w io.Writer) error { _, err := wb.CopySheet(t.Context(), w, first, "Copy"); return err })
		check("copy", copied, with("Copy", before[source]))
		for part, text := range partTexts(t, data) {
			switch {
			case part == wb.main.file.Name, strings.HasSuffix(part, "workbook.xml.rels"), part == "[Content_Types].xml", strings.HasSuffix(part, "calcChain.xml"):
			case partTexts(t, copied)[part] != text:
				t.Errorf("%s: copy: part %s changed", name, part)
			}
		}
		all := open(t, copied)
		deleted := written(t, func(w io.Writer) error { return all.DeleteSheet(t.Context(), w, &Edits{}, len(all.Sheets())-1) })
		check("delete the copy", deleted, before)
		for part := range partTexts(t, data) {
			if _, ok := partTexts(t, deleted)[part]; !ok && !strings.HasSuffix(part, "calcChain.xml") {
				t.Errorf("%s: delete the copy: part %s is gone", name, part)
			}
		}
		rest := written(t, func(w io.Writer) error { return all.DeleteSheet(t.Context(), w, &Edits{}, first) })
		want = with("Copy", before[source])
		delete(want, source)
		check("delete the first", rest, want)
		for at, f := range formulas(t, open(t, rest)) {
			if strings.Contains(f, "'"+source+"'!") {
				t.Errorf("%s: %s still refers to the deleted sheet: %s", name, at, f)
			}
		}
	}
}

// normal leaves out the quotes of sheets that do not need them, and the case of columns.
func normal(formula string) string {
	return strings.ToUpper(strings.ReplaceAll(formula, "'", ""))
}

func TestSheetNames(t *testing.T) {
	wb := open(t, book(""))
	for name, code := range map[string]problem.Code{
		"data": problem.Exists, "": problem.InvalidArgument, "a/b": problem.InvalidArgument, "'x": problem.InvalidArgument, "History": problem.InvalidArgument,
		strings.Repeat("x", 32): problem.InvalidArgument, strings.Repeat("😀", 16): problem.InvalidArgument, "x\x00": problem.InvalidArgument, strings.Repeat("é", 31): "",
	} {
		if got := problem.CodeOf(wb.CheckSheetName(name, -1)); got != code {
			t.Errorf("%q: %q, want %q", name, got, code)
		}
	}
	if err := wb.CheckSheetName("DATA", 0); err != nil {
		t.Errorf("a sheet may change its case: %v", err)
	}
	if got := wb.CopyName(0); got != "Data (2)" {
		t.Error(got)
	}
	long := open(t, rewrittenName(t, strings.Repeat("n", 31)))
	if got := long.CopyName(0); got != strings.Repeat("n", 27)+" (2)" {
		t.Error(got)
	}
}

func rewrittenName(t *testing.T, name string) []byte {
	return written(t, func(w io.Writer) error { return open(t, book("")).RenameSheet(t.Context(), w, &Edits{}, 0, name) })
}

// many is a workbook of sheets that are written as XML, with parts besides.
func many(sheets map[string]string, names []string, parts ...file) []byte {
	var list, rels strings.Builder
	for i, name := range names {
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="s%d"/>`, name, i+1, i+1)
		fmt.Fprintf(&rels, `<Relationship Id="s%d" Type="%sworksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relType, i+1)
		parts = append(parts, file{fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), `<worksheet ` + mainNS + `>` + sheets[name] + `</worksheet>`})
	}
	usual := []file{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`},
		{"xl/workbook.xml", `<workbook ` + mainNS + `><bookViews><workbookView activeTab="2"/></bookViews><sheets>` + list.String() + `</sheets><definedNames>` +
			`<definedName name="_xlnm.Print_Area" localSheetId="0">A!$A$1:$B$9,A!$D$1:$D$3</definedName><definedName name="_xlnm.Print_Titles" localSheetId="1">B!$A:$A,B!$1:$2</definedName><definedName name="Rate">A!$B$2</definedName><definedName name="Own" localSheetId="0">A!$A$1</definedName></definedNames></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships ` + relsNS + `>` + rels.String() + `</Relationships>`},
	}
	return book("", append(usual, parts...)...)
}
