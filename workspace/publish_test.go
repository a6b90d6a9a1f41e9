package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/host"
)

// brings gives a run that has one large content for its commit.
func brings(t *testing.T, s *Store, name string, content []byte) *Run {
	t.Helper()
	r, err := s.Begin(t.Context(), Start{Workspace: "w", Kind: KindUpload})
	if err != nil {
		t.Fatal(err)
	}
	stage, err := r.Receive(t.Context(), bytes.NewReader(content))
	if err == nil {
		_, err = r.Create(t.Context(), host.NewFile{Name: name, Source: host.SourceUpload, Stage: stage})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func storeWith(t *testing.T, faults func(string)) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// What lies under a content's name, such as a file that a power loss left without its
// bytes, is replaced by what a run brings.
func TestAContentTakesThePlaceOfWhatACrashLeft(t *testing.T) {
	s := storeWith(t, nil)
	content := bytes.Repeat([]byte("content "), inlineBytes)
	first := brings(t, s, "a.txt", content)
	for _, e := range first.files {
		name := s.folder.blob(e.blob.hash)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, make([]byte, len(content)), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := first.Commit(t.Context(), Finish{}); err != nil {
		t.Fatal(err)
	}
	opened, err := s.Open(t.Context(), "w", "a.txt", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Data.Close()
	got, err := io.ReadAll(opened.Data)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if left, err := os.ReadDir(filepath.Join(s.Dir(), "tmp")); err != nil || len(left) > 0 {
		t.Errorf("tmp/ has %v, %v", left, err)
	}
}

// A commit waits for its contents inside the transaction that it may share. One whose
// content cannot be made durable is refused, and alone.
func TestACommitWhoseContentIsNotDurableIsRefused(t *testing.T) {
	var dir string
	s := storeWith(t, func(step string) {
		if step == "blob.renamed" {
			lost, _ := filepath.Glob(filepath.Join(dir, "files", "*", "*"))
			for _, name := range lost {
				if info, err := os.Stat(name); err == nil && info.Size() == 3*inlineBytes {
					_ = os.Remove(name)
				}
			}
		}
	})
	dir = s.Dir()
	bad := brings(t, s, "bad.txt", make([]byte, 3*inlineBytes))
	good := make(chan error)
	for i := range 4 {
		r := brings(t, s, fmt.Sprintf("good %d.txt", i), bytes.Repeat([]byte{byte(i)}, 2*inlineBytes))
		go func() {
			_, err := r.Commit(context.WithoutCancel(t.Context()), Finish{})
			good <- err
		}()
	}
	if _, err := bad.Commit(t.Context(), Finish{}); err == nil {
		t.Error("it was committed")
	}
	for range 4 {
		if err := <-good; err != nil {
			t.Errorf("another one: %v", err)
		}
	}
	files, err := s.Files(t.Context(), "w", "")
	if err != nil || len(files) != 4 {
		t.Errorf("%d files, %v", len(files), err)
	}
}
