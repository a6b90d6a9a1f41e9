package spreadsheet_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/officetest"
)

// TestLibreOffice opens every workbook that the goldens leave behind in LibreOffice.
func TestLibreOffice(t *testing.T) {
	paths, err := filepath.Glob("testdata/goldens/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	books := map[string][]byte{}
	for _, path := range paths {
		story, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := replay(t, string(story.Files[0].Data))
		r.end()
		files, err := r.host.List(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if data := r.host.Bytes(t, f.ID); bytes.HasPrefix(data, []byte("PK")) {
				books[filepath.Base(path)+": "+f.Name] = data
			}
		}
	}
	officetest.Check(t, books)
}

// TestLibreOfficeSeesObjects has LibreOffice count the tables, charts, checks and rules
// that the golden decorate adds.
func TestLibreOfficeSeesObjects(t *testing.T) {
	story, err := txtar.ParseFile("testdata/goldens/decorate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := replay(t, string(story.Files[0].Data))
	r.end()
	got := officetest.Objects(t, r.host.Bytes(t, "b.xlsx"))
	for what, want := range map[string]int{"tables": 2, "charts": 7, "validations": 7, "rules": 11} {
		if got[what] < want {
			t.Errorf("LibreOffice sees %d %s, want %d", got[what], what, want)
		}
	}
}
