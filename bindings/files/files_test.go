package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sandboxd/sandboxd/bindings/files"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

var update = flag.Bool("update", false, "renew the answers in testdata")

var table = files.Operations()

// run is one run in a workspace of its own.
type run struct {
	t    testing.TB
	host *hosttest.Memory
	env  *op.Env
}

func newRun(t testing.TB) *run {
	h := hosttest.New(t)
	return &run{t, h, op.NewEnv(h, limits.Limits{}, op.NewCache(16<<20))}
}

// next begins another run in the same workspace, with an empty cache.
func (r *run) next() *run {
	r.end()
	return &run{r.t, r.host, op.NewEnv(r.host, limits.Limits{}, op.NewCache(16<<20))}
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
	o, ok := table.Lookup(name)
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

// TestGoldens runs the tool calls in testdata/*.txtar. A line of calls is a tool's name
// and its arguments, or next run; answers and files are what came of it.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(archive.Files[0].Data))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "answers", Data: got})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := archive.Files[1].Data; !bytes.Equal(got, want) {
				t.Errorf("answers changed (run with -update and read the diff)\ngot:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func replay(t *testing.T, calls string) []byte {
	r := newRun(t)
	var out bytes.Buffer
	for line := range strings.SplitSeq(strings.TrimSpace(calls), "\n") {
		fmt.Fprintf(&out, "> %s\n", line)
		name, args, _ := strings.Cut(line, " ")
		switch name {
		case "", "#":
		case "next":
			r = r.next()
		case "add": // an upload: name and a Go string of its bytes
			name, quoted, _ := strings.Cut(args, " ")
			data, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			r.host.Add(t, name, []byte(data))
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
			fmt.Fprintln(&out, answer)
		}
	}
	return out.Bytes()
}
