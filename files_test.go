package sandboxd_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
)

// bodyFunc is a body whose first read does something.
type bodyFunc func()

func (f bodyFunc) Read([]byte) (int, error) { f(); return 0, io.EOF }

// The answer of an upload has the name that was committed, not the one that was free when
// its bytes began to come.
func TestPutAnswersWhatWasCommitted(t *testing.T) {
	files := open(t, sandboxd.Config{}).Files("")
	file, err := files.Put(t.Context(), sandboxd.Upload{Name: "a.txt", Body: bodyFunc(func() {
		if _, err := files.Put(t.Context(), sandboxd.Upload{Name: "a.txt", Body: strings.NewReader("first")}); err != nil {
			t.Error(err)
		}
	})})
	if err != nil || file.Name != "a (2).txt" {
		t.Fatalf("answered %q, %v", file.Name, err)
	}
	given := 0
	put, err := files.PutAll(t.Context(), func() (sandboxd.Upload, error) {
		if given++; given == 2 {
			_, err := files.Put(t.Context(), sandboxd.Upload{Name: "b.txt", Body: strings.NewReader("in between")})
			return sandboxd.Upload{}, errors.Join(io.EOF, err)
		}
		return sandboxd.Upload{Name: "b.txt", Body: strings.NewReader("b")}, nil
	})
	if err == nil {
		t.Fatalf("an error that wraps io.EOF is not the end, but %v were put", put)
	}
	if found, err := files.List(t.Context(), "b*"); err != nil || len(found) != 1 {
		t.Errorf("of uploads that failed there is %v, %v", found, err)
	}
}

// A condition that held when the upload began, and no longer when it was to be committed.
func TestConditionsThatAreOutrun(t *testing.T) {
	files := open(t, sandboxd.Config{}).Files("")
	unless := errors.New("the condition does not hold")
	mustBe := func(hash string) func(old *host.File) error {
		return func(old *host.File) error {
			if (old == nil) != (hash == "") || old != nil && old.Hash != hash {
				return unless
			}
			return nil
		}
	}
	if _, _, err := files.PutAt(t.Context(), "new.txt", sandboxd.Upload{Body: bodyFunc(func() {
		if _, _, err := files.PutAt(t.Context(), "new.txt", sandboxd.Upload{Body: strings.NewReader("the other's")}, nil); err != nil {
			t.Error(err)
		}
	})}, mustBe("")); !errors.Is(err, unless) {
		t.Errorf("a file that was made meanwhile: %v", err)
	}
	old, err := files.Stat(t.Context(), "new.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.PutAt(t.Context(), old.ID, sandboxd.Upload{Body: bodyFunc(func() {
		if err := files.Delete(t.Context(), old.ID); err != nil {
			t.Error(err)
		}
	})}, mustBe(old.Hash)); !errors.Is(err, unless) {
		t.Errorf("a file that was deleted meanwhile: %v", err)
	}
}

func TestPutAllStoresAllOrNone(t *testing.T) {
	files := open(t, sandboxd.Config{}).Files("")
	uploads := []sandboxd.Upload{
		{Name: "one.txt", Body: strings.NewReader("1")},
		{Name: "two.txt", Body: io.MultiReader(strings.NewReader("2"), failing{})},
	}
	next := func() (sandboxd.Upload, error) {
		if len(uploads) == 0 {
			return sandboxd.Upload{}, io.EOF
		}
		u := uploads[0]
		uploads = uploads[1:]
		return u, nil
	}
	if _, err := files.PutAll(t.Context(), next); err == nil {
		t.Error("a body that broke was taken for whole")
	}
	if found, err := files.List(t.Context(), ""); err != nil || len(found) != 0 {
		t.Errorf("kept: %v, %v", found, err)
	}
	if none, err := files.PutAll(t.Context(), next); err != nil || len(none) != 0 {
		t.Errorf("no uploads are %v, %v", none, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the line went dead") }

// A file that lives in the metadata used to open at its end, so that only ReadAt found its bytes.
func TestOpenedFilesReadFromTheirStart(t *testing.T) {
	h := open(t, sandboxd.Config{})
	for _, size := range []int{0, 10, 100_000} {
		data := bytes.Repeat([]byte("x"), size)
		id := put(t, h, "file", data)
		opened, err := h.Files("").Open(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(opened.Data)
		opened.Data.Close()
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d of %d bytes were read, %v", len(got), size, err)
		}
	}
}
