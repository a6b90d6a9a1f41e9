package hosttest

import (
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

func stage(t *testing.T, m *Memory, text string) int64 {
	t.Helper()
	staged, err := m.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Data.Close()
	if _, err := staged.Data.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return staged.ID
}

func read(t *testing.T, m *Memory, ref string, version int64) string {
	t.Helper()
	opened, err := m.Open(t.Context(), ref, version)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Data.Close()
	data, err := io.ReadAll(io.NewSectionReader(opened.Data, 0, opened.File.Size))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantCode(t *testing.T, err error, code problem.Code) {
	t.Helper()
	if problem.CodeOf(err) != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestLifeOfAFile(t *testing.T) {
	m, ctx := New(t), t.Context()
	made, err := m.Create(ctx, host.NewFile{Name: "a/data.csv", Stage: stage(t, m, "x,y\n1,2\n")})
	if err != nil {
		t.Fatal(err)
	}
	want := host.File{ID: "00000000-0000-4000-8000-000000000001", Name: "a/data.csv", Size: 8, MimeType: "text/csv", Source: "created",
		SourceSessionID: "test", CreatedOn: "2026-01-01T00:00:00.001Z", ModifiedOn: "2026-01-01T00:00:00.001Z", Version: 1, Hash: made.Hash}
	if made != want || len(made.Hash) != 64 {
		t.Fatalf("\ngot  %+v\nwant %+v", made, want)
	}
	_, err = m.Create(ctx, host.NewFile{Name: "a/data.csv"})
	wantCode(t, err, problem.Exists)
	if problem.From(err).Details["id"] != made.ID {
		t.Error("exists does not say which file it is")
	}
	if second, err := m.Create(ctx, host.NewFile{Name: "a/data.csv", Unique: true}); err != nil || second.Name != "a/data (2).csv" || second.Size != 0 {
		t.Errorf("got %+v, %v", second, err)
	}
	if put, err := m.Put(ctx, "a/data.csv", stage(t, m, "new")); err != nil || put.Version != 2 || put.ID != made.ID {
		t.Errorf("got %+v, %v", put, err)
	}
	if got := read(t, m, made.ID, 0) + "|" + read(t, m, made.ID, 1); got != "new|x,y\n1,2\n" {
		t.Errorf("read %q", got)
	}
	if _, err := m.Rename(ctx, made.ID, "b.csv"); err != nil {
		t.Error(err)
	}
	_, err = m.Rename(ctx, "b.csv", "a/data (2).csv")
	wantCode(t, err, problem.Exists)
	if copied, err := m.Copy(ctx, "b.csv", "c.csv"); err != nil || copied.Source != host.SourceDerived || copied.ID == made.ID {
		t.Errorf("got %+v, %v", copied, err)
	}
	if _, err := m.Delete(ctx, "b.csv"); err != nil {
		t.Error(err)
	}
	_, err = m.Stat(ctx, "b.csv")
	wantCode(t, err, problem.NotFound)
	if restored, err := m.Restore(ctx, "b.csv", 1); err != nil || restored.Version != 5 {
		t.Errorf("got %+v, %v", restored, err)
	}
	versions, err := m.Versions(ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, v := range versions {
		actions = append(actions, v.Action)
	}
	if want := []string{"restored", "deleted", "renamed", "modified", "created"}; !slices.Equal(actions, want) {
		t.Errorf("got %q, want %q", actions, want)
	}
	if list, err := m.List(ctx, "**/*2*"); err != nil || len(list) != 1 || list[0].Name != "a/data (2).csv" {
		t.Errorf("got %+v, %v", list, err)
	}
	if got := m.Names(); !slices.Equal(got, []string{"a/data (2).csv", "b.csv", "c.csv"}) {
		t.Errorf("got %q", got)
	}
	_, err = m.List(ctx, "[")
	wantCode(t, err, problem.InvalidArgument)
}

func TestStages(t *testing.T) {
	m, ctx := New(t), t.Context()
	m.Limits.FileBytes = 4
	_, err := m.Create(ctx, host.NewFile{Name: "a", Stage: stage(t, m, "12345")})
	wantCode(t, err, problem.FileTooLarge)
	one := stage(t, m, "1234")
	if _, err := m.Create(ctx, host.NewFile{Name: "a", Stage: one}); err != nil {
		t.Error(err)
	}
	if _, err := m.Put(ctx, "a", one); err == nil {
		t.Error("a stage was taken twice")
	}
	opened, err := m.Open(ctx, "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Data.Close()
	if _, err := opened.Data.Write([]byte("x")); err == nil {
		t.Error("a file open for reading could be written")
	}
}

func TestStateAndTheRest(t *testing.T) {
	m, ctx := New(t), t.Context()
	for _, key := range []string{"b.2", "a", "b.1"} {
		if err := m.StateSet(ctx, key, []byte(`{"k":1}`)); err != nil {
			t.Error(err)
		}
	}
	wantCode(t, m.StateSet(ctx, "a", []byte(`{`)), problem.InvalidArgument)
	if keys, err := m.StateKeys(ctx, "b."); err != nil || !slices.Equal(keys, []string{"b.1", "b.2"}) {
		t.Errorf("got %q, %v", keys, err)
	}
	if value, err := m.StateGet(ctx, "none"); value != nil || err != nil {
		t.Errorf("got %s, %v", value, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := m.StateDelete(ctx, "a"); was != want || err != nil {
			t.Errorf("got %v, %v", was, err)
		}
	}
	_, err := m.SQL(ctx, host.Query{SQL: "select 1"})
	wantCode(t, err, problem.EngineMissing)
	_, err = m.Fetch(ctx, "https://example.com/a.txt", "")
	wantCode(t, err, problem.FetchFailed)
	m.Get = func(context.Context, string) (string, []byte, error) { return "a.txt", []byte("hi"), nil }
	m.Add(t, "a.txt", []byte("mine"))
	if f, err := m.Fetch(ctx, "https://example.com/a.txt", ""); err != nil || f.Name != "a (2).txt" || string(m.Bytes(t, f.ID)) != "hi" {
		t.Errorf("got %+v, %v", f, err)
	}
	m.Log(host.LogLine{Level: "log", Text: "x"})
	if logs := m.Logs(); !reflect.DeepEqual(logs, []host.LogLine{{Level: "log", Text: "x"}}) {
		t.Errorf("got %+v", logs)
	}
}

func TestFailuresAndCounts(t *testing.T) {
	m := New(t)
	m.Add(t, "a.txt", nil)
	m.Fail = func(method, ref string) error {
		if method == "Open" && ref == "a.txt" {
			return problem.New(problem.DamagedFile, "as asked")
		}
		return nil
	}
	_, err := m.Open(t.Context(), "a.txt", 0)
	wantCode(t, err, problem.DamagedFile)
	if _, err := m.Stat(t.Context(), "a.txt"); err != nil {
		t.Error(err)
	}
	if calls := m.Calls(); calls["Open"] != 1 || calls["Stat"] != 1 {
		t.Errorf("got %v", calls)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.List(gone, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(m.dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
