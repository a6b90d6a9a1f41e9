package workspacetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

func namesAreUnique(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) {
		a := create(t, r, "a.txt", "1")
		_, err := r.Create(ctx, host.NewFile{Name: "a.txt"})
		equal(t, "the id of the file that is there", fails(t, "create", err, problem.Exists).Details["id"], any(a.ID))
		b := create(t, r, "b.txt", "2")
		_, err = r.Rename(ctx, b.ID, "a.txt")
		fails(t, "rename", err, problem.Exists)
		_, err = r.Copy(ctx, "a.txt", "b.txt")
		fails(t, "copy", err, problem.Exists)
	})
	for i, want := range []string{"a (2).txt", "a (3).txt"} {
		do(t, s, func(r *workspace.Run) {
			got, err := r.Create(ctx, host.NewFile{Name: "a.txt", Unique: true, Source: host.SourceUpload})
			if err != nil || got.Name != want || got.Source != host.SourceUpload {
				t.Errorf("upload %d: got %+v, %v, want %q", i, got, err, want)
			}
		})
	}
	// The composed and the decomposed form are one name.
	do(t, s, func(r *workspace.Run) {
		create(t, r, "cafe\u0301.txt", "x")
		if _, err := r.Stat(ctx, "caf\u00e9.txt"); err != nil {
			t.Error(err)
		}
	})
}

func listsByPattern(t *testing.T, f *Fixture) {
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) {
		for _, name := range []string{"z.csv", "a.csv", "reports/may.csv", "reports/old/april.csv", "notes.md"} {
			create(t, r, name, name)
		}
		for pattern, want := range map[string]string{
			"":               "a.csv notes.md reports/may.csv reports/old/april.csv z.csv",
			"*.csv":          "a.csv reports/may.csv reports/old/april.csv z.csv",
			"reports/*.csv":  "reports/may.csv",
			"reports/**":     "reports/may.csv reports/old/april.csv",
			"**/*.{md,csv}":  "a.csv notes.md reports/may.csv reports/old/april.csv z.csv",
			"[az].csv":       "a.csv z.csv",
			"nothing-at-all": "",
		} {
			equal(t, "list "+pattern, names(t, r, pattern), want)
		}
		_, err := r.List(context.Background(), "[")
		fails(t, "a broken pattern", err, problem.InvalidArgument)
	})
}

func versionsAreKept(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	var id string
	do(t, s, func(r *workspace.Run) { id = create(t, r, "a.txt", "one").ID })
	do(t, s, func(r *workspace.Run) { put(t, r, "a.txt", large); put(t, r, "a.txt", "two") })
	do(t, s, func(r *workspace.Run) { _, err := r.Rename(ctx, "a.txt", "b.txt"); failOn(t, err) })
	do(t, s, func(r *workspace.Run) { _, err := r.Delete(ctx, "b.txt"); failOn(t, err) })
	equal(t, "versions", actions(t, s, id), "4:deleted 3:renamed 2:modified 1:created")
	equal(t, "versions by the last name of a deleted file", actions(t, s, "b.txt"), "4:deleted 3:renamed 2:modified 1:created")
	equal(t, "an old version", stored(t, s, id, 1), "one")
	_, err := s.Open(ctx, "w", id, 0)
	fails(t, "the latest version of a deleted file", err, problem.NotFound)

	receipt := do(t, s, func(r *workspace.Run) {
		_, err := r.Restore(ctx, "b.txt", 4)
		fails(t, "restoring a deletion", err, problem.NotFound)
		_, err = r.Restore(ctx, "b.txt", 9)
		fails(t, "restoring what never was", err, problem.NotFound)
		got, err := r.Restore(ctx, "b.txt", 1)
		failOn(t, err)
		equal(t, "restored version", got.Version, 5)
		equal(t, "content within the run", read(t, r, "b.txt"), "one")
	})
	equal(t, "action", receipt.Files[0].Action, "restored")
	equal(t, "content", stored(t, s, "b.txt", 0), "one")
	equal(t, "versions", actions(t, s, id), "5:restored 4:deleted 3:renamed 2:modified 1:created")

	// Writing what is there already is no change.
	receipt = do(t, s, func(r *workspace.Run) { put(t, r, "b.txt", "one") })
	equal(t, "files changed", len(receipt.Files), 0)
}

func failOn(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func actions(t *testing.T, s *workspace.Store, ref string) string {
	t.Helper()
	versions, err := s.Versions(context.Background(), "w", ref)
	failOn(t, err)
	var list []string
	for _, v := range versions {
		list = append(list, fmt.Sprintf("%d:%s", v.Version, v.Action))
	}
	return strings.Join(list, " ")
}

func namesChangeHands(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	var run string
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "A"); create(t, r, "b", "B") })
	do(t, s, func(r *workspace.Run) {
		run = r.ID()
		for _, step := range [][2]string{{"a", "tmp"}, {"b", "a"}, {"tmp", "b"}} {
			_, err := r.Rename(ctx, step[0], step[1])
			failOn(t, err)
		}
	})
	equal(t, "swapped", stored(t, s, "a", 0)+stored(t, s, "b", 0), "BA")
	_, err := s.Undo(ctx, "w", run, workspace.Undo{})
	failOn(t, err)
	equal(t, "swapped back", stored(t, s, "a", 0)+stored(t, s, "b", 0), "AB")
}

func typesAreDetected(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
	do(t, s, func(r *workspace.Run) {
		for _, c := range []struct{ name, declared, text, want string }{
			{"a.csv", "", "x;y\n1;2\n", "text/csv"},
			{"a.tsv", "", "x\ty\n", "text/tab-separated-values"},
			{"a.md", "", "# hi, there\n", "text/markdown"},
			{"a.json", "", `{"a":1}`, "application/json"},
			{"a.ts", "", "let x: number = 1", "text/typescript"},
			{"a.txt", "image/png", "just text", "text/plain"},
			{"mine.txt", "text/x-notes", "just text", "text/x-notes"},
			{"plain.csv", "text/plain", "x;y\n1;2\n", "text/csv"},
			{"b.csv", "text/csv", png, "image/png"},
			{"c.txt", "", png, "image/png"},
			{"d.pdf", "", "%PDF-1.7\n", "application/pdf"},
			{"empty.csv", "", "", "text/csv"},
			{"empty", "text/markdown", "", "text/markdown"},
			{"data.bin", "application/x-mine", "\x00\x01\x02\x03", "application/x-mine"},
		} {
			got, err := r.Create(ctx, host.NewFile{Name: c.name, MimeType: c.declared, Stage: stage(t, r, c.text)})
			failOn(t, err)
			equal(t, "type of "+c.name, got.MimeType, c.want)
		}
		got, err := r.Rename(ctx, "a.txt", "a.yaml")
		failOn(t, err)
		equal(t, "renamed text", got.MimeType, "application/yaml")
		equal(t, "text into an empty file of a declared type", put(t, r, "empty", "# hi").MimeType, "text/markdown")
		equal(t, "new text in a file of a declared type", put(t, r, "mine.txt", "other text").MimeType, "text/x-notes")
		equal(t, "a picture in its place", put(t, r, "mine.txt", png).MimeType, "image/png")
		_, err = r.Create(ctx, host.NewFile{Name: "x", MimeType: "no type"})
		fails(t, "a type that is none", err, problem.InvalidArgument)
	})
}

func stagesBelongToTheRun(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{FileBytes: 100_000})
	do(t, s, func(r *workspace.Run) {
		st, err := r.Stage(ctx)
		failOn(t, err)
		_, err = st.Data.WriteString("before")
		failOn(t, err)
		_, err = r.Create(ctx, host.NewFile{Name: "a", Stage: st.ID})
		failOn(t, err)
		// The worker still holds the descriptor. What it writes now is too late.
		_, err = st.Data.WriteAt([]byte("AFTER!"), 0)
		failOn(t, err)
		st.Data.Close()
		equal(t, "content", read(t, r, "a"), "before")
		_, err = r.Put(ctx, "a", st.ID)
		fails(t, "a stage that is used up", err, problem.InvalidArgument)
		_, err = r.Put(ctx, "a", 77)
		fails(t, "a stage that never was", err, problem.InvalidArgument)
		_, err = r.Put(ctx, "a", stage(t, r, strings.Repeat("x", 100_001)))
		fails(t, "a file over the limit", err, problem.FileTooLarge)
		_, err = r.Receive(ctx, strings.NewReader(strings.Repeat("x", 100_001)))
		fails(t, "an upload over the limit", err, problem.FileTooLarge)
		id, err := r.Receive(ctx, strings.NewReader(strings.Repeat("x", 100_000)))
		failOn(t, err)
		got, err := r.Put(ctx, "a", id)
		failOn(t, err)
		equal(t, "size at the limit", got.Size, 100_000)
	})
	equal(t, "content", len(stored(t, s, "a", 0)), 100_000)
}

func quotasHold(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{WorkspaceSize: 100_000, StateBytes: 1000})
	block := func(c string) string { return strings.Repeat(c, 40_000) }
	do(t, s, func(r *workspace.Run) { create(t, r, "a", block("a")); create(t, r, "b", block("b")) })
	// Old versions count, the same content does not count twice.
	do(t, s, func(r *workspace.Run) { create(t, r, "a2", block("a")); put(t, r, "b", block("a")) })
	usage, err := s.Usage(ctx, "w")
	failOn(t, err)
	equal(t, "usage", usage.Files, 80_000)

	r := begin(t, s, workspace.Start{})
	_, err = r.Create(ctx, host.NewFile{Name: "c", Stage: stage(t, r, block("c"))})
	fails(t, "early", err, problem.WorkspaceFull)
	equal(t, "names in the run", names(t, r, ""), "a a2 b")
	commit(t, r)

	// Two runs that fit alone and not together: the second fails at its commit, whole.
	r1, r2 := begin(t, s, workspace.Start{}), begin(t, s, workspace.Start{})
	create(t, r1, "d", strings.Repeat("d", 15_000))
	create(t, r2, "e", strings.Repeat("e", 15_000))
	setState(t, r2, "k", "1")
	commit(t, r1)
	_, err = r2.Commit(ctx, workspace.Finish{})
	fails(t, "late", err, problem.WorkspaceFull)
	equal(t, "files", storedNames(t, s), "a a2 b d")
	equal(t, "state", state(t, s), "{}")
	rec, err := s.RunByID(ctx, r2.ID())
	failOn(t, err)
	equal(t, "record", rec.Error.Code, problem.WorkspaceFull)

	do(t, s, func(r *workspace.Run) { setState(t, r, "k", `"`+strings.Repeat("x", 600)+`"`) })
	r = begin(t, s, workspace.Start{})
	setState(t, r, "l", `"`+strings.Repeat("y", 600)+`"`)
	_, err = r.Commit(ctx, workspace.Finish{})
	fails(t, "state", err, problem.WorkspaceFull)
	r = begin(t, s, workspace.Start{})
	err = r.StateSet(ctx, "m", []byte(`"`+strings.Repeat("z", 1200)+`"`))
	fails(t, "state early", err, problem.WorkspaceFull)
	commit(t, r)
	do(t, s, func(r *workspace.Run) {
		_, err := r.StateDelete(ctx, "k")
		failOn(t, err)
		setState(t, r, "l", `"`+strings.Repeat("y", 600)+`"`)
	})
}

func timesAndProvenance(t *testing.T, f *Fixture) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
	s := f.open(t, workspace.Config{Now: func() time.Time { return now }})
	r := begin(t, s, workspace.Start{SessionID: "chat-7"})
	create(t, r, "a", "1")
	commit(t, r)
	now = now.Add(time.Hour)
	do(t, s, func(r *workspace.Run) { put(t, r, "a", "2") })
	got, err := s.Stat(context.Background(), "w", "a")
	failOn(t, err)
	equal(t, "created", got.CreatedOn, "2026-03-04T05:06:07.089Z")
	equal(t, "modified", got.ModifiedOn, "2026-03-04T06:06:07.089Z")
	equal(t, "session", got.SourceSessionID, "chat-7")
	equal(t, "version", got.Version, 2)
}
