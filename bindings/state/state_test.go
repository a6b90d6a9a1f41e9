package state_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/state"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

var table = state.Operations()

func js(t *testing.T, env *op.Env, name string, args ...any) (any, error) {
	t.Helper()
	o, ok := table.Lookup(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	in, failure := o.BindJS(args)
	if failure != nil {
		return nil, failure
	}
	out, err := o.Call(context.Background(), env, in)
	if err != nil {
		return nil, err
	}
	return o.ResultJS(out), nil
}

func TestState(t *testing.T) {
	env := op.NewEnv(hosttest.New(t), limits.Limits{}, nil)
	value := op.Object{{Name: "b", Value: int64(1)}, {Name: "a", Value: []any{"x", nil, 1.5}}}
	for _, step := range []struct {
		name string
		args []any
		want any
	}{
		{"state.get", []any{"a"}, nil},
		{"state.keys", nil, []string{}},
		{"state.set", []any{"a", value}, op.Object{{Name: "ok", Value: true}}},
		{"state.get", []any{"a"}, value},
		{"state.set", []any{"a", nil}, op.Object{{Name: "ok", Value: true}}},
		{"state.get", []any{"a"}, nil},
		{"state.set", []any{"ab", false}, op.Object{{Name: "ok", Value: true}}},
		{"state.set", []any{"b", ""}, op.Object{{Name: "ok", Value: true}}},
		{"state.keys", nil, []string{"a", "ab", "b"}},
		{"state.keys", []any{"a"}, []string{"a", "ab"}},
		{"state.delete", []any{"a"}, true},
		{"state.delete", []any{"a"}, false},
		{"state.keys", []any{nil}, []string{"ab", "b"}},
	} {
		got, err := js(t, env, step.name, step.args...)
		if err != nil || !reflect.DeepEqual(got, step.want) {
			t.Errorf("%s(%v): got %#v, %v; want %#v", step.name, step.args, got, err, step.want)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	env := op.NewEnv(hosttest.New(t), limits.Limits{}, nil)
	for _, test := range []struct {
		name    string
		args    []any
		message string
	}{
		{"state.get", nil, "key"},
		{"state.get", []any{""}, "key is empty, expected 1 to 512 bytes"},
		{"state.get", []any{strings.Repeat("é", 257)}, "key has 514 bytes, expected 1 to 512"},
		{"state.set", []any{"a"}, "value"},
		{"state.set", []any{"", 1}, "key is empty"},
		{"state.delete", []any{""}, "key is empty"},
	} {
		_, err := js(t, env, test.name, test.args...)
		if e := problem.From(err); err == nil || e.Code != problem.InvalidArgument || !strings.Contains(e.Message, test.message) {
			t.Errorf("%s(%.20v): got %v, want invalid_argument with %q", test.name, test.args, err, test.message)
		}
	}
	if _, err := js(t, env, "state.get", strings.Repeat("k", 512)); err != nil {
		t.Error(err)
	}
}

func TestTools(t *testing.T) {
	env := op.NewEnv(hosttest.New(t), limits.Limits{}, nil)
	for _, step := range []struct{ tool, args, want string }{
		{"state_set", `{"key":"k","value":{"n":9007199254740993}}`, `{"ok":true}`},
		{"state_get", `{"key":"k"}`, `{"value":{"n":9007199254740993}}`},
		{"state_get", `{"key":"none"}`, `{"value":null}`},
		{"state_keys", `{}`, `{"keys":["k"]}`},
		{"state_delete", `{"key":"k"}`, `{"deleted":true}`},
	} {
		o, ok := table.LookupTool(step.tool)
		if !ok {
			t.Fatalf("there is no %s", step.tool)
		}
		in, failure := o.BindTool(json.RawMessage(step.args))
		if failure != nil {
			t.Fatal(failure)
		}
		out, err := o.Call(t.Context(), env, in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o.ResultTool(out); err != nil || string(got) != step.want {
			t.Errorf("%s %s: got %s, %v; want %s", step.tool, step.args, got, err, step.want)
		}
	}
}
