package sandboxd_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/officetest"
)

// TestLibreOffice opens every workbook that the examples and the goldens leave behind in
// LibreOffice, which must see the same values.
func TestLibreOffice(t *testing.T) {
	books := map[string][]byte{}
	goldens, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range goldens {
		story, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs := slices.DeleteFunc(story.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
		leftBehind(t, filepath.Base(path), inputs, books)
	}
	examples, err := filepath.Glob("scripts/examples/*/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range examples {
		dir := filepath.Dir(script)
		var inputs []txtar.File
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, path))
			if !isScript(path) {
				path = "in/" + path
			}
			inputs = append(inputs, txtar.File{Name: path, Data: data})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		leftBehind(t, filepath.Base(dir), inputs, books)
	}
	officetest.Check(t, books)
}

// leftBehind plays a story and keeps its workbooks, if it has to do with any.
func leftBehind(t *testing.T, name string, files []txtar.File, books map[string][]byte) {
	t.Helper()
	about := func(f txtar.File) bool {
		return isScript(f.Name) && bytes.Contains(f.Data, []byte("files.spreadsheet."))
	}
	if !slices.ContainsFunc(files, about) {
		return
	}
	h := open(t, sandboxd.Config{})
	for _, f := range files {
		switch {
		case strings.HasPrefix(f.Name, "in/"):
			put(t, h, strings.TrimPrefix(f.Name, "in/"), f.Data)
		case isScript(f.Name):
			h.Run(t.Context(), sandboxd.Run{Script: string(f.Data), Name: f.Name})
		}
	}
	list, err := h.Files("").List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if data := read(t, h, f.ID); bytes.HasPrefix(data, []byte("PK")) && strings.HasSuffix(f.Name, ".xlsx") {
			books[name+": "+f.Name] = data
		}
	}
}
