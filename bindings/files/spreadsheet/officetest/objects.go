package officetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// Objects counts what LibreOffice sees beside the cells of a workbook: its charts, tables,
// validations and conditional formats. It skips as Check does.
func Objects(t *testing.T, book []byte) map[string]int {
	t.Helper()
	office, err := exec.LookPath("soffice")
	if err != nil {
		t.Skip(howToGet)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "book.xlsx")
	if err := os.WriteFile(path, book, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := convert(ctx, office, dir, path).CombinedOutput(); err != nil {
		t.Fatalf("LibreOffice: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "book.fods"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for what, element := range map[string]string{
		"charts": `<chart:chart[ >]`, "tables": `<table:database-range[ >]`,
		"validations": `<table:content-validation[ >]`, "rules": `<calcext:(condition|color-scale|data-bar)[ >]`,
	} {
		count[what] = len(regexp.MustCompile(element).FindAll(text, -1))
	}
	return count
}
