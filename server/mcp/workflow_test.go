package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// programDir is where it is built to; "" until then.
var programDir string

// program builds sandboxd itself, once, for the tests that start it as clients do.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sandboxd-program-")
	if err != nil {
		return "", err
	}
	programDir = dir
	path := filepath.Join(dir, "sandboxd")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/sandboxd/sandboxd/cmd/sandboxd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func built(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// budget writes a workbook of 49 rows to a folder.
func budget(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	rows := [][]any{{"Month", "Team", "Plan", "Actual", "Forecast", "Note"}}
	for i := 1; i <= 49; i++ {
		rows = append(rows, []any{i%12 + 1, fmt.Sprintf("team %d", i%4), i * 100, i * 90, i * 110, "ok"})
	}
	for i, row := range rows {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "budget.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// sum is what the forecasts come to after the workflow: each of 110·i, raised by a tenth.
const sum = 121 * 49 * 50 / 2

// The official TypeScript SDK takes an uploaded workbook through the six steps of the
// usual work on one, over both transports. Notifications, links and completion are on the way.
func TestWorkflow(t *testing.T) {
	node(t)
	t.Run("http", func(t *testing.T) {
		l := newLab(t, mcp.Config{})
		book, err := os.Open(budget(t))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		if _, err := l.host.Files("alice").Put(t.Context(), sandboxd.Upload{Name: "budget.xlsx", Body: book}); err != nil {
			t.Fatal(err)
		}
		workflow(t, "http", l.url+"?tools=all", l.tokens["alice"])

		answer := l.host.Call(t.Context(), sandboxd.Call{Tool: "spreadsheet_read_cell", Workspace: "alice",
			Args: json.RawMessage(`{"file_id": "budget.xlsx", "sheet": "Sheet1", "cell": "E50"}`)})
		var cell struct {
			Value  float64
			Format struct {
				NumberFormat string `json:"number_format"`
			}
		}
		if err := json.Unmarshal(answer.Result, &cell); err != nil || cell.Value != 49*121 || cell.Format.NumberFormat != "$#,##0" {
			t.Errorf("E50 is %s, %v", answer.Result, err)
		}
	})
	t.Run("stdio", func(t *testing.T) {
		data := t.TempDir()
		workflow(t, "stdio", built(t), "mcp", "--data", data, "--tools=all", "--file", budget(t))

		host, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: data})
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close()
		if f, err := host.Files("").Stat(t.Context(), "budget.xlsx"); err != nil || f.Version != 3 {
			t.Errorf("the workbook is %+v, %v", f, err)
		}
	})
}

// workflow runs the client and checks what it saw.
func workflow(t *testing.T, args ...string) {
	t.Helper()
	out, stderr, code := peer(t, append([]string{"workflow.mjs"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, stderr)
	}
	var saw struct {
		Server                      string
		Tools, Rows, Prompt         int
		Sheets, Columns, Head, Logs []string
		Progress, Completion        []string
		Link, Updated               bool
		Result                      struct{ Total int }
		Report                      string
		Failed                      struct {
			IsError bool
			Code    string
		}
	}
	if err := json.Unmarshal([]byte(out), &saw); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	columns := "[Month Team Plan Actual Forecast Note]"
	for what, pair := range map[string][2]any{
		"server":     {saw.Server, "sandboxd"},
		"many tools": {saw.Tools > 40, true},
		"sheets":     {saw.Sheets, "[Sheet1]"},
		"columns":    {saw.Columns, columns},
		"head":       {saw.Head, columns},
		"rows":       {saw.Rows, 49},
		"link":       {saw.Link, true},
		"updated":    {saw.Updated, true},
		"result":     {saw.Result.Total, sum},
		"logs":       {saw.Logs, "[info: 49 rows warning: rounded]"},
		"progress":   {saw.Progress, "[49 rows rounded]"},
		"report":     {saw.Report, fmt.Sprintf("Total %d\n", sum)},
		"completion": {saw.Completion, "[budget.xlsx]"},
		"prompt":     {saw.Prompt, 2},
		"failed":     {saw.Failed, "{true not_found}"},
	} {
		if fmt.Sprint(pair[0]) != fmt.Sprint(pair[1]) {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
}
