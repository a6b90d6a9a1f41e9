package spreadsheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/xuri/excelize/v2"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/op/optest"
	"github.com/sandboxd/sandboxd/problem"
)

var update = flag.Bool("update", false, "renew the answers in testdata")

var table = spreadsheet.Operations()

func TestTableIsSound(t *testing.T) {
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestExamplesCompile(t *testing.T) { optest.Examples(t, table) }

// run is one run in a workspace of its own.
type run struct {
	t    testing.TB
	host *hosttest.Memory
	env  *op.Env
}

func newRun(t testing.TB) *run {
	h := hosttest.New(t)
	return &run{t, h, op.NewEnv(h, limits.Limits{}, op.NewCache(64<<20))}
}

// next begins another run in the same workspace, with an empty cache.
func (r *run) next() *run {
	r.end()
	return &run{r.t, r.host, op.NewEnv(r.host, limits.Limits{}, op.NewCache(64<<20))}
}

// end settles, as the end of a run does.
func (r *run) end() {
	r.t.Helper()
	if err := r.env.Settle(context.Background(), ""); err != nil {
		r.t.Fatal(err)
	}
}

// tool calls an operation by its tool name.
func (r *run) tool(name, args string) (string, error) {
	r.t.Helper()
	o, ok := table.LookupTool(name)
	if !ok {
		r.t.Fatalf("there is no tool %s", name)
	}
	in, wrong := o.BindTool(json.RawMessage(args))
	if wrong != nil {
		return "", wrong
	}
	out, err := o.Call(context.Background(), r.env, in)
	if err != nil {
		return "", err
	}
	answer, err := o.ResultTool(out)
	return string(answer), err
}

// js calls an operation by its JavaScript name; the answer is plain values.
func (r *run) js(name string, args ...any) (any, error) {
	r.t.Helper()
	o, ok := table.Lookup("files.spreadsheet." + name)
	if !ok {
		r.t.Fatalf("there is no operation %s", name)
	}
	in, wrong := o.BindJS(args)
	if wrong != nil {
		return nil, wrong
	}
	out, err := o.Call(context.Background(), r.env, in)
	if err != nil {
		return nil, err
	}
	return o.ResultJS(out), nil
}

// do is js for calls that must succeed.
func (r *run) do(name string, args ...any) any {
	r.t.Helper()
	out, err := r.js(name, args...)
	if err != nil {
		r.t.Fatalf("%s%v: %v", name, args, err)
	}
	return out
}

// budget is a workbook as people have them: a title, headers, dates, formulas, a merged
// area, a hidden sheet.
func budget(t testing.TB) []byte {
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.SetSheetName("Sheet1", "2024"))
	must(f.SetSheetRow("2024", "A1", &[]any{"Budget 2024"}))
	must(f.MergeCell("2024", "A1", "D1"))
	must(f.SetSheetRow("2024", "A3", &[]any{"Month", "Team", "Plan", "Actual", "Difference"}))
	date, err := f.NewStyle(&excelize.Style{NumFmt: 14})
	must(err)
	money := `"$"#,##0.00`
	currency, err := f.NewStyle(&excelize.Style{CustomNumFmt: &money, Font: &excelize.Font{Bold: true}})
	must(err)
	teams := []string{"Sales", "Research", "Support"}
	for i := range 12 {
		row := i + 4
		must(f.SetSheetRow("2024", fmt.Sprintf("A%d", row), &[]any{45292 + 31*i, teams[i%3], 1000 + 10*i, 990.5 + 13*float64(i)}))
		must(f.SetCellStyle("2024", fmt.Sprintf("A%d", row), fmt.Sprintf("A%d", row), date))
		must(f.SetCellFormula("2024", fmt.Sprintf("E%d", row), fmt.Sprintf("D%d-C%d", row, row)))
	}
	must(f.SetCellStyle("2024", "C4", "D15", currency))
	_, err = f.NewSheet("Notes")
	must(err)
	must(f.SetCellBool("Notes", "B2", true))
	must(f.SetCellStr("Notes", "A1", "see <2024>"))
	must(f.SetSheetVisible("Notes", false))
	var b bytes.Buffer
	must(f.Write(&b))
	return b.Bytes()
}

// TestGoldens runs the tool calls in testdata/goldens/*.txtar. A line of calls is a
// tool's name and its arguments, or one of the words below; answers are what came of it.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/goldens/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, got := replay(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "answers", Data: got})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) < 2 || !bytes.Equal(got, archive.Files[1].Data) {
				t.Errorf("answers changed (run with -update and read the diff)\ngot:\n%s", got)
			}
		})
	}
}

func replay(t *testing.T, calls string) (*run, []byte) {
	r := newRun(t)
	var out bytes.Buffer
	for line := range strings.SplitSeq(strings.TrimSpace(calls), "\n") {
		fmt.Fprintf(&out, "> %s\n", line)
		name, args, _ := strings.Cut(line, " ")
		switch name {
		case "", "#":
		case "next": // another run
			r = r.next()
		case "budget": // adds the workbook under a name
			r.host.Add(t, args, budget(t))
		case "add": // an upload: name and a Go string of its bytes
			name, quoted, _ := strings.Cut(args, " ")
			data, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			r.host.Add(t, name, []byte(data))
		case "part": // a part of a workbook, or the elements of a name in it
			words := strings.Fields(args)
			r.end()
			fmt.Fprintln(&out, part(t, r.host.Bytes(t, words[0]), words[1], words[2:]))
		case "bytes": // what is in the file
			r.end()
			fmt.Fprintf(&out, "%q\n", r.host.Bytes(t, args))
		default:
			answer, err := r.tool(name, args)
			if err != nil {
				e := problem.From(err)
				fmt.Fprintf(&out, "%s: %s\n  %s\n", e.Code, e.Message, e.Hint)
				continue
			}
			var pretty bytes.Buffer
			if len(answer) > 160 && json.Indent(&pretty, []byte(answer), "", " ") == nil {
				answer = compact(pretty.String())
			}
			fmt.Fprintln(&out, answer)
		}
	}
	return r, out.Bytes()
}

// part gives a part of a workbook: all of it, or each element of a name that has a text in it.
func part(t *testing.T, data []byte, name string, which []string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(which) == 0 {
		return string(text)
	}
	var found []string
	for _, el := range regexp.MustCompile("(?s)<"+which[0]+"[ >].*?</"+which[0]+">").FindAllString(string(text), -1) {
		if len(which) == 1 || strings.Contains(el, which[1]) {
			found = append(found, el)
		}
	}
	return strings.Join(found, "\n")
}

// compact puts the items of short lists and objects on one line.
func compact(indented string) string {
	var out, group []string
	for line := range strings.SplitSeq(indented, "\n") {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if depth >= 2 {
			group = append(group, strings.TrimSpace(line))
			continue
		}
		if len(group) > 0 {
			out = append(out, "  "+strings.Join(group, " "))
			group = nil
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func wantCode(t *testing.T, err error, code problem.Code, words ...string) {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, word := range words {
		if !strings.Contains(e.Message+e.Hint, word) {
			t.Errorf("%q does not say %q", e.Message+" "+e.Hint, word)
		}
	}
}
