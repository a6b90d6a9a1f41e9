package files_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

func wantCode(t *testing.T, err error, code problem.Code, words ...string) *problem.Error {
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
	return e
}

// Ten thousand appends are one version and one write, whether by id or by name, and reads
// in between see them without a write.
func TestManyEditsAreOneVersion(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "log.txt", []byte("start\n"))
	const appends = 10_000
	for i := range appends {
		ref := f.ID
		if i%10 == 0 {
			ref = "log.txt"
		}
		r.do("files.append", ref, fmt.Sprintf("line %d\n", i))
		if i%1000 == 0 {
			if n := r.do("files.lineCount", "log.txt"); n != int64(i+2) {
				t.Fatalf("%v lines after %d appends", n, i+1)
			}
		}
	}
	calls := r.host.Calls()
	if calls["Put"] != 0 || calls["Open"] != 1 {
		t.Errorf("before the end: %v", calls)
	}
	if calls["Stat"] > appends/10+20 {
		t.Errorf("%d Stat calls: an id of a held document should need none", calls["Stat"])
	}
	r.end()
	r.end()
	if n := r.host.Calls()["Put"]; n != 1 {
		t.Errorf("%d writes", n)
	}
	got := string(r.host.Bytes(t, f.ID))
	if !strings.HasPrefix(got, "start\nline 0\n") || !strings.HasSuffix(got, "line 9999\n") || strings.Count(got, "\n") != appends+1 {
		t.Errorf("%d bytes, %d lines", len(got), strings.Count(got, "\n"))
	}
}

// Whoever looks at the file another way sees the edits, and edits go on afterwards.
func TestOthersSeeEdits(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.txt", []byte("a\n"))
	r.do("files.append", f.ID, "b\n")
	if n := member(t, r.do("files.info", f.ID), "size"); n != int64(4) {
		t.Errorf("info: %v", n)
	}
	r.do("files.append", f.ID, "c\n")
	list := r.do("files.list").([]any)
	if n := member(t, list[0], "size"); n != int64(6) {
		t.Errorf("list: %v", n)
	}
	r.do("files.append", f.ID, "d\n")
	r.do("files.copy", f.ID, "copy.txt")
	if got := string(r.host.Bytes(t, "copy.txt")); got != "a\nb\nc\nd\n" {
		t.Errorf("copy: %q", got)
	}
	r.do("files.append", f.ID, "e\n")
	r.do("files.rename", f.ID, "b.txt")
	r.do("files.append", "b.txt", "f\n")
	r.do("files.restore", "b.txt", int64(1))
	r.do("files.append", "b.txt", "new\n")
	r.end()
	if got := string(r.host.Bytes(t, f.ID)); got != "a\nnew\n" {
		t.Errorf("after restore: %q", got)
	}
	r.do("files.append", f.ID, "lost\n")
	r.do("files.delete", f.ID)
	r.end() // and no write of a file that is gone
	if names := r.host.Names(); len(names) != 1 {
		t.Errorf("left: %q", names)
	}
}

// otherDocument is a document of another format held for a file.
type otherDocument struct{ id, content string }

func (o *otherDocument) Save(ctx context.Context, direct host.Host) error {
	if o.content == "" {
		return nil
	}
	stage, err := direct.Stage(ctx)
	if err != nil {
		return err
	}
	defer stage.Data.Close()
	stage.Data.WriteString(o.content)
	o.content = ""
	_, err = direct.Put(ctx, o.id, stage.ID)
	return err
}

func TestDocumentOfAnotherFormatIsSavedFirst(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.csv", []byte("a\n"))
	r.env.Hold(f.ID, &otherDocument{f.ID, "from the workbook\n"})
	r.do("files.append", f.ID, "appended\n")
	r.end()
	if got := string(r.host.Bytes(t, f.ID)); got != "from the workbook\nappended\n" {
		t.Errorf("%q", got)
	}
	r.env.Hold(f.ID, &otherDocument{f.ID, "again\n"})
	if n := r.do("files.lineCount", f.ID); n != int64(1) {
		t.Errorf("%v lines", n)
	}
}

// Edits of one file at once take turns; none is lost.
func TestConcurrentEdits(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.txt", nil)
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := range 50 {
				switch worker {
				case 6:
					r.do("files.list")
				case 7:
					r.do("files.searchText", f.ID, "9")
				default:
					r.do("files.append", f.ID, fmt.Sprintf("%d-%d\n", worker, i))
				}
			}
		})
	}
	wait.Wait()
	r.end()
	if n := strings.Count(string(r.host.Bytes(t, f.ID)), "\n"); n != 300 {
		t.Errorf("%d lines of 300", n)
	}
}

// A failed edit changes nothing, whether it is the first one or a later one.
func TestFailedEditChangesNothing(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.txt", []byte("a\n"))
	_, err := r.js("files.replaceLines", f.ID, int64(1), int64(7), "x")
	wantCode(t, err, problem.InvalidArgument, "1 lines")
	r.end()
	if n := r.host.Calls()["Put"]; n != 0 {
		t.Errorf("%d writes", n)
	}
	r.do("files.append", f.ID, "b\n")
	_, err = r.js("files.insertLines", f.ID, int64(9), "x")
	wantCode(t, err, problem.InvalidArgument, "2 lines")
	r.end()
	if got := string(r.host.Bytes(t, f.ID)); got != "a\nb\n" {
		t.Errorf("%q", got)
	}
}

// The size of a file is limited at the call that breaks it, and what was there stays.
func TestFileSizeLimit(t *testing.T) {
	h := newRun(t).host
	r := &run{t, h, op.NewEnv(h, limits.Limits{FileBytes: 100}, nil)}
	f := h.Add(t, "a.txt", []byte(strings.Repeat("x", 90)+"\n"))
	for name, call := range map[string]func() (any, error){
		"append":      func() (any, error) { return r.js("files.append", f.ID, strings.Repeat("y", 10)) },
		"writeText":   func() (any, error) { return r.js("files.writeText", f.ID, strings.Repeat("y", 101)) },
		"insertLines": func() (any, error) { return r.js("files.insertLines", f.ID, int64(0), strings.Repeat("y", 10)) },
		"replaceLines": func() (any, error) {
			return r.js("files.replaceLines", f.ID, int64(1), int64(1), strings.Repeat("y", 100))
		},
		"appendBytes": func() (any, error) {
			return r.js("files.appendBytes", f.ID, base64.StdEncoding.EncodeToString(make([]byte, 10)))
		},
		"create": func() (any, error) {
			return r.js("files.create", "b.txt", nil, op.Object{{Name: "content", Value: strings.Repeat("y", 101)}})
		},
	} {
		_, err := call()
		e := wantCode(t, err, problem.FileTooLarge, "100")
		if e.Details["limit"] != int64(100) {
			t.Errorf("%s: details %v", name, e.Details)
		}
	}
	r.do("files.append", f.ID, strings.Repeat("y", 9))
	r.end()
	if n := len(h.Bytes(t, f.ID)); n != 100 {
		t.Errorf("%d bytes", n)
	}
}

// Without a place to write to, the error says so and names no path.
func TestSaveThatFails(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.txt", []byte("a\n"))
	r.do("files.append", f.ID, "b\n")
	r.host.Fail = func(method, ref string) error {
		if method == "Put" {
			return problem.New(problem.WorkspaceFull, "no room")
		}
		return nil
	}
	wantCode(t, r.env.Settle(context.Background(), ""), problem.WorkspaceFull)
	_, err := r.js("files.info", f.ID)
	wantCode(t, err, problem.WorkspaceFull)
	r.host.Fail = nil
	r.end()
	if got := string(r.host.Bytes(t, f.ID)); got != "a\nb\n" {
		t.Errorf("%q", got)
	}
}

// A large file that is edited is not read into memory, and no descriptor stays open.
func TestLargeFileIsNotLoaded(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "big.txt", []byte(strings.Repeat("some line of text\n", 300_000)))
	open := descriptors(t)
	r.do("files.replaceLines", f.ID, int64(150_000), int64(150_000), "changed")
	out := r.do("files.readText", f.ID, op.Object{{Name: "startLine", Value: int64(149_999)}, {Name: "endLine", Value: int64(150_001)}})
	if got := member(t, out, "content"); got != "some line of text\nchanged\nsome line of text" {
		t.Errorf("%q", got)
	}
	_, err := r.js("files.replaceLines", f.ID, int64(1), int64(999_999), "x")
	wantCode(t, err, problem.InvalidArgument)
	r.end()
	r.do("files.readText", f.ID)
	_, err = r.js("files.insertLines", f.ID, int64(999_999), "x")
	wantCode(t, err, problem.InvalidArgument)
	if now := descriptors(t); now > open { // fewer, where the collector closes what another test left
		t.Errorf("%d descriptors, %d before", now, open)
	}
	if n := len(r.host.Bytes(t, f.ID)); n != 300_000*18-17+7 {
		t.Errorf("%d bytes", n)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here: ", err)
	}
	return len(entries)
}

func TestCancelledSearchStops(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "big.txt", []byte(strings.Repeat("some line of text\n", 100_000)))
	r.do("files.lineCount", f.ID)
	o, _ := table.Lookup("files.searchText")
	in, wrong := o.BindJS([]any{f.ID, "nothing"})
	if wrong != nil {
		t.Fatal(wrong)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.host.Fail = func(string, string) error { cancel(); return nil } // while the file is opened
	_, err := o.Call(ctx, r.env, in)
	if problem.CodeOf(err) != problem.Canceled {
		t.Errorf("%v", err)
	}
}

// member reads a member of a plain object.
func member(t *testing.T, value any, name string) any {
	t.Helper()
	object, ok := value.(op.Object)
	if !ok {
		t.Fatalf("%T is no object", value)
	}
	for _, m := range object {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("%v has no %s", value, name)
	return nil
}

// A run that changes very many files holds some of them at a time.
func TestManyFilesAreNotAllHeld(t *testing.T) {
	r := newRun(t)
	const files = 300
	for i := range files {
		r.host.Add(t, fmt.Sprintf("%d.txt", i), []byte(strings.Repeat("x", 300<<10)))
	}
	open := descriptors(t)
	for range 2 {
		for i := range files {
			r.do("files.append", fmt.Sprintf("%d.txt", i), "y")
			if now := descriptors(t); now > open+220 {
				t.Fatalf("%d descriptors after %d files", now-open, i)
			}
		}
	}
	r.end()
	if now := descriptors(t); now > open { // fewer, where the collector closes what another test left
		t.Errorf("%d descriptors, %d before", now, open)
	}
	for i := range files {
		if got := r.host.Bytes(t, fmt.Sprintf("%d.txt", i)); !strings.HasSuffix(string(got), "xyy") {
			t.Fatalf("file %d: %q", i, got[len(got)-5:])
		}
	}
}
