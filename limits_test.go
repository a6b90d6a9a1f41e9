package sandboxd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/hostile"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// A canary is a limit and work on both sides of it. The work beyond the limit must end as
// the table says, and must do well where the limit is wide: then it is the limit that ended
// it, and a limit that does nothing is noticed.
type canary struct {
	field  string        // of limits.Limits; "" for what cannot be configured
	limits limits.Limits // only this one is narrow
	room   limits.Limits // what is within a limit of time gets: no machine is quick enough for sure to keep within the narrow one
	under  string        // a script within it
	over   string        // a script beyond it
	code   problem.Code  // how over ends; "" for limits that cut and do not fail
	cut    string        // what over answers then
	whole  string        // and what it answers where the limit is wide
}

const sqlCount = `(await db.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM n")`

var canaries = []canary{
	{
		field: "WallTime", limits: limits.Limits{WallTime: 400 * time.Millisecond}, room: limits.Limits{WallTime: time.Minute},
		under: `await new Promise(done => setTimeout(done, 1))`,
		over:  `await new Promise(done => setTimeout(done, 4000))`,
		code:  problem.Timeout,
	}, {
		field: "CPUTime", limits: limits.Limits{CPUTime: 100 * time.Millisecond}, room: limits.Limits{CPUTime: time.Minute},
		under: `for (let i = 0; i < 1e4; i++);`,
		over:  `let n = 0; for (let i = 0; i < 4e7; i++) n += i % 7; return n`,
		code:  problem.CPULimit,
	}, {
		field: "Memory", limits: limits.Limits{Memory: 96 * limits.MB},
		under: `const kept = []; for (let i = 0; i < 8; i++) kept.push(new Uint8Array(1 << 20).fill(i)); return kept.length`,
		over:  `const kept = []; for (let i = 0; i < 200; i++) kept.push(new Uint8Array(1 << 20).fill(i)); return kept.length`,
		code:  problem.MemoryLimit,
	}, {
		field: "HostCalls", limits: limits.Limits{HostCalls: 20},
		under: `for (let i = 0; i < 20; i++) await state.get("key")`,
		over:  `for (let i = 0; i < 21; i++) await state.get("key").catch(() => {})`,
		code:  problem.CallLimit,
	}, {
		field: "ResultBytes", limits: limits.Limits{ResultBytes: 1000},
		under: `return "x".repeat(998)`,
		over:  `return "x".repeat(999)`,
		code:  problem.ResultTooLarge,
	}, {
		field: "ScriptBytes", limits: limits.Limits{ScriptBytes: 1000},
		under: `//` + strings.Repeat("x", 998),
		over:  `//` + strings.Repeat("x", 999),
		code:  problem.InvalidArgument,
	}, {
		field: "FileBytes", limits: limits.Limits{FileBytes: 1000},
		under: `await files.create("a", undefined, { content: "x".repeat(600) }); await files.append("a", "x".repeat(400))`,
		over:  `await files.create("a", undefined, { content: "x".repeat(600) }); await files.append("a", "x".repeat(401))`,
		code:  problem.FileTooLarge,
	}, {
		field: "FileBytes", limits: limits.Limits{FileBytes: 100_000}, // too many bytes to stay in memory
		under: `await files.create("b", undefined, { content: "x".repeat(100_000) })`,
		over:  `await files.create("b", undefined, { content: "x".repeat(100_001) })`,
		code:  problem.FileTooLarge,
	}, {
		field: "WorkspaceSize", limits: limits.Limits{WorkspaceSize: 10_000},
		under: `await files.create("a", undefined, { content: "x".repeat(9000) }); await files.copy("a", "b")`,
		over:  `await files.create("a", undefined, { content: "x".repeat(9000) }); await files.create("b", undefined, { content: "y".repeat(1001) })`,
		code:  problem.WorkspaceFull,
	}, {
		field: "Files", limits: limits.Limits{Files: 2},
		under: `await files.create("a"); await files.create("b"); await files.delete("a"); await files.create("c")`,
		over:  `await files.create("a"); await files.create("b"); await files.copy("a", "c")`,
		code:  problem.WorkspaceFull,
	}, {
		field: "Versions", limits: limits.Limits{Versions: 2},
		under: `await files.create("a"); await files.create("b")`,
		over:  `for (const name of ["a", "b", "c"]) await files.create(name)`,
		code:  problem.WorkspaceFull,
	}, {
		field: "StateBytes", limits: limits.Limits{StateBytes: 1000},
		under: `await state.set("a", "x".repeat(400)); await state.set("b", "x".repeat(500))`,
		over:  `await state.set("a", "x".repeat(400)); await state.set("b", "x".repeat(600))`,
		code:  problem.WorkspaceFull,
	}, {
		field: "DBBytes", limits: limits.Limits{DBBytes: limits.MB},
		under: `await db.sql("CREATE TABLE t (b BLOB)"); await db.sql("INSERT INTO t VALUES (randomblob(500000))")`,
		over:  `await db.sql("CREATE TABLE t (b BLOB)"); await db.sql("INSERT INTO t VALUES (randomblob(1500000))")`,
		code:  problem.DBFull,
	}, {
		field: "SQLTime", limits: limits.Limits{SQLTime: 50 * time.Millisecond}, room: limits.Limits{SQLTime: time.Minute},
		under: fmt.Sprintf(sqlCount+`).rows[0][0]`, 100, "count(*)"),
		over:  fmt.Sprintf(sqlCount+`).rows[0][0]`, 4_000_000, "count(*)"),
		code:  problem.Timeout,
	}, {
		field: "SQLRows", limits: limits.Limits{SQLRows: 10},
		under: fmt.Sprintf(`const r = `+sqlCount+`); if (r.truncated || r.rows.length !== 10) throw new Error("truncated")`, 10, "i"),
		over:  fmt.Sprintf(`const r = `+sqlCount+`); return [r.rows.length, r.row_count, r.truncated]`, 11, "i"),
		cut:   `[10,10,true]`, whole: `[11,11,false]`,
	}, {
		under: `const deep = n => n ? deep(n - 1) + 1 : 0; return deep(500)`,
		over:  `const deep = n => deep(n + 1) + 1; return deep(0)`,
		code:  problem.StackOverflow,
	},
}

// elsewhere are limits that have their canary in a test of their own, and those of formats.
var elsewhere = map[string]string{
	"ConsoleBytes":  "TestConsoleIsCut",
	"Pixels":        "TestPicturesAreNotDecodedWithoutEnd",
	"PDFPages":      "TestPDFsOfTooManyPages",
	"InflatedBytes": "TestWorkbooksAreNotInflatedWithoutEnd",
}

// Pages are counted before any is read, by PDFium and by what assembles.
func TestPDFsOfTooManyPages(t *testing.T) {
	places := enginetest.Places(t)
	if places.PDFium == "" {
		t.Skip("there is no pdfium.wasm: run make engines")
	}
	var pages bytes.Buffer
	pages.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 4/Kids[")
	for i := range 4 {
		fmt.Fprintf(&pages, "%d 0 R ", 3+i)
	}
	pages.WriteString("]>>endobj\n")
	for i := range 4 {
		fmt.Fprintf(&pages, "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n", 3+i)
	}
	pages.WriteString("trailer<</Root 1 0 R>>\n")
	for most, want := range map[int]problem.Code{3: problem.TooComplex, 4: ""} {
		h := open(t, sandboxd.Config{Engines: &places, Limits: limits.Limits{PDFPages: most}})
		put(t, h, "four.pdf", pages.Bytes())
		for _, call := range []string{`files.pdf.info("four.pdf")`, `files.pdf.rotatePages("four.pdf", 90)`} {
			answer := h.Run(t.Context(), sandboxd.Run{Script: "await " + call + "; return null"})
			var got problem.Code
			if !answer.OK {
				got = answer.Error.Code
			}
			if got != want {
				t.Errorf("%s of 4 pages where %d are the most: %q, want %q", call, most, got, want)
			}
		}
	}
}

// Pixels are counted before they are decoded, those of the result too, with libvips and without.
func TestPicturesAreNotDecodedWithoutEnd(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 100, 80))); err != nil {
		t.Fatal(err)
	}
	for name, engines := range map[string]*engine.Places{"as installed": nil, "without libvips": {}} {
		for max, want := range map[int64]problem.Code{7999: problem.TooComplex, 8000: ""} {
			h := open(t, sandboxd.Config{Limits: limits.Limits{Pixels: max}, Engines: engines})
			put(t, h, "a.png", picture.Bytes())
			for _, script := range []string{`await files.image.resize("a.png", 10, 10)`, `await files.image.resize("a.png", 100, 81)`} {
				answer := h.Run(t.Context(), sandboxd.Run{Script: script})
				if strings.Contains(script, "81") {
					want = problem.TooComplex
				}
				if problem.CodeOf(asError(answer.Error)) != want {
					t.Errorf("%s, at most %d pixels: %s: %v, want %q", name, max, script, answer.Error, want)
				}
			}
		}
	}
}

func TestWorkbooksAreNotInflatedWithoutEnd(t *testing.T) {
	book, err := os.ReadFile("scripts/examples/budget-workbook/budget.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	for max, want := range map[int64]problem.Code{8 * limits.KB: problem.TooComplex, limits.MB: ""} {
		h := open(t, sandboxd.Config{Limits: limits.Limits{InflatedBytes: max}})
		put(t, h, "budget.xlsx", book)
		answer := h.Run(t.Context(), sandboxd.Run{Script: `await files.spreadsheet.readRange("budget.xlsx", "Budget", "A1:F37")`})
		if problem.CodeOf(asError(answer.Error)) != want {
			t.Errorf("at most %d bytes inflated: %v, want %q", max, answer.Error, want)
		}
	}
}

func TestEveryLimitLimits(t *testing.T) {
	have := map[string]bool{}
	for _, c := range canaries {
		have[c.field] = true
	}
	fields := reflect.TypeFor[limits.Limits]()
	for i := range fields.NumField() {
		if name := fields.Field(i).Name; !have[name] && elsewhere[name] == "" {
			t.Errorf("%s has no canary", name)
		}
	}
	wide := open(t, sandboxd.Config{})
	for i, c := range canaries {
		name := c.field
		if name == "" {
			name = "call stack"
		}
		t.Run(name, func(t *testing.T) {
			t.Run("of the host", func(t *testing.T) {
				h := open(t, sandboxd.Config{Limits: c.limits, Concurrency: 1})
				if c.room == (limits.Limits{}) {
					c.within(t, h, sandboxd.Run{Workspace: "under"})
				}
				c.beyond(t, h, sandboxd.Run{Workspace: "over"})
				// No run may have more than the host allows.
				c.beyond(t, h, sandboxd.Run{Workspace: "greedy", Limits: limits.Default()})
			})
			t.Run("of a run", func(t *testing.T) {
				c.within(t, wide, sandboxd.Run{Workspace: fmt.Sprintf("under-%d", i), Limits: c.room.Or(c.limits)})
				c.beyond(t, wide, sandboxd.Run{Workspace: fmt.Sprintf("over-%d", i), Limits: c.limits})
			})
			if c.field == "" || testing.Short() && (c.field == "SQLTime" || c.field == "CPUTime") {
				return // under the race detector it takes half a minute, and SQLite, which is Go, longer
			}
			answer := wide.Run(t.Context(), sandboxd.Run{Workspace: fmt.Sprintf("wide-%d", i), Script: c.over})
			if !answer.OK || c.whole != "" && string(answer.Result) != c.whole {
				t.Errorf("where the limit is wide the same script answers %s, %v", answer.Result, answer.Error)
			}
		})
	}
}

func (c canary) within(t *testing.T, h *sandboxd.Host, r sandboxd.Run) {
	t.Helper()
	r.Script = c.under
	if answer := h.Run(t.Context(), r); !answer.OK {
		t.Errorf("within the limit: %v", answer.Error)
	}
}

// beyond runs too much, and then what is allowed: a limit ends a run and nothing else. Where
// the host itself allows too little time to be sure of, the next run may meet the limit too.
func (c canary) beyond(t *testing.T, h *sandboxd.Host, r sandboxd.Run) {
	t.Helper()
	r.Script = c.over
	answer := h.Run(t.Context(), r)
	switch {
	case c.code == "" && (!answer.OK || string(answer.Result) != c.cut):
		t.Errorf("beyond the limit: %s, %v; want %s", answer.Result, answer.Error, c.cut)
	case c.code != "" && (answer.OK || answer.Error.Code != c.code):
		t.Errorf("beyond the limit: %s, %v; want %s", answer.Result, answer.Error, c.code)
	case c.code != "" && (answer.Error.Hint == "" || answer.Error.Message == ""):
		t.Errorf("the error does not help: %+v", answer.Error)
	}
	if c.code != "" {
		if files, err := h.Files(r.Workspace).List(t.Context(), ""); err != nil || len(files) > 0 {
			t.Errorf("the run left %v, %v", files, err)
		}
	}
	r.Script, r.Limits = `return 6 * 7`, c.room.Or(r.Limits)
	hurried := c.room.Within(h.Limits()) != c.room.Or(h.Limits())
	if answer := h.Run(t.Context(), r); string(answer.Result) != "42" && !(hurried && problem.CodeOf(asError(answer.Error)) == c.code) {
		t.Errorf("the next run: %s, %v", answer.Result, answer.Error)
	}
}

// A run that is told to stop ends soon after its time, also inside a native that nothing
// interrupts: none of these would end by itself. It takes 0.3 s.
func TestTimeoutsAreKept(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	for _, script := range []string{`for (;;);`, `await new Promise(() => setInterval(() => {}, 1000))`, `/^(a+)+\1b$/.test("a".repeat(40))`,
		`try { for (;;); } finally { for (;;); }`, fmt.Sprintf(sqlCount+`)`, 1<<40, "count(*)")} {
		answer := h.Run(t.Context(), sandboxd.Run{Script: script, Limits: limits.Limits{WallTime: 500 * time.Millisecond}})
		if answer.OK || answer.Error.Code != problem.Timeout {
			t.Errorf("%s: %v, want timeout", script, answer.Error)
		}
		if took := answer.Receipt.WallTime; took > 20_000 && !testing.Short() {
			t.Errorf("%s: ended after %.0f ms with a limit of 500", script, took)
		}
	}
}

func TestConsoleIsCut(t *testing.T) {
	h := open(t, sandboxd.Config{Limits: limits.Limits{ConsoleBytes: 1000}})
	for _, c := range []struct {
		name  string
		lines int
		cut   bool
	}{{"within", 10, false}, {"beyond", 11, true}, {"flood", 100_000, true}} {
		streamed := 0
		answer := h.Run(t.Context(), sandboxd.Run{
			Script: fmt.Sprintf(`for (let i = 0; i < %d; i++) console.log("x".repeat(99)); return "done"`, c.lines),
			Log:    func(host.LogLine) { streamed++ },
		})
		if !answer.OK {
			t.Fatalf("%s: %v", c.name, answer.Error)
		}
		kept := 0
		last := answer.Logs[len(answer.Logs)-1].Text
		for _, line := range answer.Logs {
			if strings.Trim(line.Text, "x") == "" {
				kept += len(line.Text) + 1 // a line's end counts, or empty lines would be free
			}
		}
		if kept != 1000 || strings.Contains(last, "cut") != c.cut || streamed != len(answer.Logs) {
			t.Errorf("%s: %d bytes in %d lines were kept, %d lines streamed, the last is %q", c.name, kept, len(answer.Logs), streamed, last)
		}
	}
}

// What is too large for an answer can be had in pages, and the error says so.
func TestTooLargeResultsSayHowToPage(t *testing.T) {
	h := open(t, sandboxd.Config{Limits: limits.Limits{ResultBytes: 1000}})
	put(t, h, "long.txt", bytes.Repeat([]byte("a line\n"), 1000))
	for what, answer := range map[string]sandboxd.Answer{
		"script": h.Run(t.Context(), sandboxd.Run{Script: `return (await files.readText("long.txt")).content`}),
		"tool":   h.Call(t.Context(), sandboxd.Call{Tool: "file_read_text", Args: json.RawMessage(`{"id": "long.txt"}`)}),
	} {
		if answer.OK || answer.Error.Code != problem.ResultTooLarge || !strings.Contains(answer.Error.Hint, "part") {
			t.Errorf("%s: %+v", what, answer.Error)
		}
		if string(answer.Result) != "null" {
			t.Errorf("%s: a result came with the error: %d bytes", what, len(answer.Result))
		}
	}
	page := h.Call(t.Context(), sandboxd.Call{Tool: "file_read_text", Args: json.RawMessage(`{"id": "long.txt", "start_line": 500, "end_line": 600}`)})
	if !page.OK {
		t.Errorf("a page: %v", page.Error)
	}
}

// Uploads are held to the same limits as scripts, without a worker.
func TestUploadsAreLimited(t *testing.T) {
	h := open(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1000, WorkspaceSize: 2500}})
	up := func(name string, fill byte, size int64) problem.Code {
		_, err := h.Files("").Put(t.Context(), sandboxd.Upload{Name: name, Replace: true, Body: io.LimitReader(fillReader(fill), size)})
		return problem.CodeOf(err)
	}
	for i, c := range []struct {
		name string
		fill byte
		size int64
		want problem.Code
	}{
		{"a", 'a', 1001, problem.FileTooLarge},
		{"a", 'a', 1000, ""},
		{"a", 'b', 1000, ""},                    // the first version still counts
		{"a", 'c', 1000, problem.WorkspaceFull}, // as here
		{"c", 'b', 1000, ""},                    // the same content is there once
		{"d", 'd', 500, ""},
		{"e", 'e', 1, problem.WorkspaceFull},
	} {
		if got := up(c.name, c.fill, c.size); got != c.want {
			t.Errorf("upload %d, %d × %c as %s: %q, want %q", i, c.size, c.fill, c.name, got, c.want)
		}
	}
}

type fillReader byte

func (f fillReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}

// Versions count, over runs too, and so does what a run writes step by step.
func TestVersionsFillTheWorkspace(t *testing.T) {
	h := open(t, sandboxd.Config{Limits: limits.Limits{WorkspaceSize: 10_000}})
	write := func(fill string) sandboxd.Answer {
		return h.Run(t.Context(), sandboxd.Run{Script: `
			const text = args.repeat(4000);
			if ((await files.list("a")).length) await files.writeText("a", text); else await files.create("a", undefined, { content: text });`,
			Args: json.RawMessage(`"` + fill + `"`)})
	}
	for i, want := range []problem.Code{"", "", problem.WorkspaceFull} {
		answer := write(string(rune('x' + i)))
		if code := problem.CodeOf(asError(answer.Error)); code != want {
			t.Errorf("version %d: %q, want %q", i+1, code, want)
		}
	}
	if got := read(t, h, "a"); got[0] != 'y' || len(got) != 4000 {
		t.Errorf("the file is %d × %c", len(got), got[0])
	}
	if answer := write("x"); !answer.OK {
		t.Errorf("a content that is there already: %v", answer.Error)
	}
}

func asError(p *problem.Error) error {
	if p == nil {
		return nil
	}
	return p
}

// One run is under way, two may wait, and the others are told at once that the host is busy.
func TestQueueIsBounded(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1, Queue: 2})
	first, leave := context.WithCancel(t.Context())
	defer leave()
	inside, gone := make(chan struct{}), make(chan sandboxd.Answer, 1)
	go func() {
		gone <- h.Run(first, sandboxd.Run{Script: `console.log("inside"); await new Promise(done => setTimeout(done, 250_000))`,
			Log: func(host.LogLine) { close(inside) }})
	}()
	<-inside
	answers := make(chan sandboxd.Answer)
	for range 7 {
		go func() { answers <- h.Run(t.Context(), sandboxd.Run{Script: `return 42`}) }()
	}
	for range 5 {
		if answer := <-answers; answer.OK || answer.Error.Code != problem.Busy {
			t.Errorf("with a full queue: %s, %v; want busy", answer.Result, answer.Error)
		}
	}
	select {
	case answer := <-answers:
		t.Errorf("answered while its turn had not come: %s, %v", answer.Result, answer.Error)
	default:
	}
	leave()
	if answer := <-gone; answer.OK || answer.Error.Code != problem.Canceled {
		t.Errorf("the cancelled run: %v", answer.Error)
	}
	for range 2 {
		if answer := <-answers; string(answer.Result) != "42" || answer.Receipt.QueueTime <= 0 {
			t.Errorf("after its turn came: %s, %v, waited %v ms", answer.Result, answer.Error, answer.Receipt.QueueTime)
		}
	}
}

// No more runs than allowed are under way at once, and as many as allowed are.
func TestConcurrencyIsBounded(t *testing.T) {
	const most = 3
	h := open(t, sandboxd.Config{Concurrency: most})
	var mu sync.Mutex
	now, peak, full := 0, 0, make(chan struct{})
	line := func(l host.LogLine) {
		mu.Lock()
		defer mu.Unlock()
		if l.Text == "out" {
			now--
			return
		}
		if now++; now > peak {
			if peak = now; peak == most {
				close(full)
			}
		}
		mu.Unlock()
		select { // a run whose line is not taken stays under way
		case <-full:
		case <-time.After(2 * time.Minute):
		}
		mu.Lock()
	}
	var answers []<-chan sandboxd.Answer
	for range 3 * most {
		answer := make(chan sandboxd.Answer, 1)
		answers = append(answers, answer)
		go func() {
			answer <- h.Run(t.Context(), sandboxd.Run{Script: `console.log("in"); await new Promise(done => setTimeout(done, 100)); console.log("out")`, Log: line})
		}()
	}
	for _, answer := range answers {
		if a := <-answer; !a.OK {
			t.Error(a.Error)
		}
	}
	if peak != most {
		t.Errorf("%d runs were under way at once, want %d", peak, most)
	}
}

// A tool call is under limits too, those of the store included.
func TestLimitsOfToolCalls(t *testing.T) {
	h := open(t, sandboxd.Config{})
	args, _ := json.Marshal(map[string]string{"name": "a", "content": strings.Repeat("x", 1000)})
	for _, c := range []struct {
		limits limits.Limits
		want   problem.Code
	}{
		{limits.Limits{WorkspaceSize: 999}, problem.WorkspaceFull},
		{limits.Limits{FileBytes: 999}, problem.FileTooLarge},
		{limits.Limits{FileBytes: 1000, WorkspaceSize: 1000}, ""},
	} {
		answer := h.Call(t.Context(), sandboxd.Call{Tool: "file_create", Args: args, Limits: c.limits})
		if problem.CodeOf(asError(answer.Error)) != c.want {
			t.Errorf("%+v: %v, want %q", c.limits, answer.Error, c.want)
		}
	}
}

// The table of the design, and that a host of which only the times are configured keeps to
// the rest of it.
func TestDefaults(t *testing.T) {
	want := limits.Limits{
		WallTime: 30 * time.Second, CPUTime: 20 * time.Second, Memory: 512 << 20, HostCalls: 10_000, ConsoleBytes: 64 << 10,
		ResultBytes: 1 << 20, ScriptBytes: 1 << 20, FileBytes: 50 << 20, WorkspaceSize: 1 << 30, Files: 50_000, Versions: 500_000, StateBytes: 16 << 20,
		SQLRows: 1000, SQLTime: 10 * time.Second, DBBytes: 256 << 20, Pixels: 100_000_000, PDFPages: 5000, InflatedBytes: 512 << 20,
	}
	if got := limits.Default(); got != want {
		t.Errorf("the defaults are %+v", got)
	}
	h := open(t, sandboxd.Config{})
	for _, c := range []struct {
		script, result string
		code           problem.Code
	}{
		{`for (let i = 0; i < 10_000; i++) await state.get("k")`, `null`, ""},
		{`for (let i = 0; i < 10_001; i++) await state.get("k")`, `null`, problem.CallLimit},
		{`return "x".repeat(2**20 - 2).length`, `1048574`, ""},
		{`return "x".repeat(2**20 - 1)`, `null`, problem.ResultTooLarge},
		{`//` + strings.Repeat("x", 1<<20), `null`, problem.InvalidArgument},
		{fmt.Sprintf(`const r = `+sqlCount+`); return [r.rows.length, r.truncated]`, 1001, "i"), `[1000,true]`, ""},
		{`await state.set("k", "x".repeat(2**24))`, `null`, problem.WorkspaceFull},
	} {
		answer := h.Run(t.Context(), sandboxd.Run{Script: c.script})
		if string(answer.Result) != c.result || problem.CodeOf(asError(answer.Error)) != c.code {
			t.Errorf("%.80s: %s, %v", c.script, answer.Result, answer.Error)
		}
	}
	answer := h.Run(t.Context(), sandboxd.Run{Script: `for (let i = 0; i < 70; i++) console.log("x".repeat(1024))`})
	if len(answer.Logs) != 65 {
		t.Errorf("%d lines of 1 KB were kept, want 64 and the marker", len(answer.Logs))
	}
	for size, want := range map[int64]problem.Code{50 << 20: "", 50<<20 + 1: problem.FileTooLarge} {
		_, err := h.Files("").Put(t.Context(), sandboxd.Upload{Name: "big", Replace: true, Body: io.LimitReader(fillReader(0), size)})
		if problem.CodeOf(err) != want {
			t.Errorf("an upload of %d bytes: %v, want %q", size, err, want)
		}
	}
	t.Run("queue", func(t *testing.T) {
		places := runtime.NumCPU() + 100
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		answers := make(chan sandboxd.Answer)
		for range places + 5 {
			go func() {
				answers <- h.Run(ctx, sandboxd.Run{Script: `await new Promise(done => setTimeout(done, 250_000))`})
			}()
		}
		for range 5 {
			if answer := <-answers; answer.OK || answer.Error.Code != problem.Busy {
				t.Errorf("beyond the queue: %v, want busy", answer.Error)
			}
		}
		cancel()
		for range places {
			if answer := <-answers; answer.OK || answer.Error.Code != problem.Canceled {
				t.Errorf("of the %d that fit: %v, want canceled", places, answer.Error)
			}
		}
	})
}

// What a run asked for and never touched is of no concern to the next, which found that no
// PDF could be opened any more, in that process, by anybody.
func TestMemoryOfARunIsNotMissedByTheNext(t *testing.T) {
	places := enginetest.Places(t)
	if places.PDFium == "" {
		t.Skip("there is no pdfium.wasm: run make engines")
	}
	h := open(t, sandboxd.Config{Engines: &places, Concurrency: 1})
	put(t, h, "fine.pdf", hostile.Fine())
	for range 3 {
		h.Run(t.Context(), sandboxd.Run{Script: `new Uint8Array(640 << 20).length`}) // it may be too much, or too quick to be seen
		must(t, h.Run(t.Context(), sandboxd.Run{Script: `await files.pdf.extractText("fine.pdf", { layout: "lines" })`}))
	}
}

// The engines that a worker has loaded are no reason not to take a run whose limit is
// small: it ended as worker_lost when no process, however fresh, had little enough.
func TestSmallLimitOfMemoryIsTaken(t *testing.T) {
	h := open(t, sandboxd.Config{})
	for range 2 {
		a := h.Run(t.Context(), sandboxd.Run{Script: `[1, 2].length`, Limits: limits.Limits{Memory: 64 << 20}})
		if !a.OK || string(a.Result) != "2" {
			t.Errorf("%s, %v", a.Result, a.Error)
		}
	}
}
