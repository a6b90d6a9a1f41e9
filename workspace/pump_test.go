package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/sandboxd/sandboxd/problem"
)

// Whatever the pieces in which a content comes, the blob has its bytes and its hash.
func TestPump(t *testing.T) {
	all := make([]byte, 5*pumpBytes+17)
	_, _ = rand.NewChaCha8([32]byte{}).Read(all)
	for _, size := range []int{0, 1, inlineBytes, inlineBytes + 1, pumpBytes - 1, pumpBytes, pumpBytes + 1, 3 * pumpBytes, len(all)} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "its end with its last bytes": iotest.DataErrReader,
		} {
			direct := newBlobWriter("", int64(len(all)))
			direct.inline = len(all)
			if _, err := direct.Write(all[:size]); err != nil {
				t.Fatal(err)
			}
			want, err := direct.finish()
			if err != nil {
				t.Fatal(err)
			}
			w := newBlobWriter(filepath.Join(t.TempDir(), "blob"), int64(size))
			if err := pump(w, reader(bytes.NewReader(all[:size]))); err != nil {
				t.Fatalf("%d bytes, %s: %v", size, how, err)
			}
			got, err := w.finish()
			if err != nil {
				t.Fatal(err)
			}
			data := got.data
			if got.path != "" {
				if data, err = os.ReadFile(got.path); err != nil {
					t.Fatal(err)
				}
			}
			if got.hash != want.hash || got.size != int64(size) || !bytes.Equal(data, all[:size]) || !bytes.Equal(got.head, want.head) {
				t.Errorf("%d bytes, %s: %d bytes arrived as %d", size, how, len(data), got.size)
			}
		}
	}
}

func TestPumpFails(t *testing.T) {
	all := make([]byte, 10*pumpBytes)
	broken := errors.New("broken")
	for _, at := range []int64{0, 10, pumpBytes, 3*pumpBytes + 5} {
		w := newBlobWriter(filepath.Join(t.TempDir(), "blob"), int64(len(all)))
		if err := pump(w, io.MultiReader(bytes.NewReader(all[:at]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", at, err)
		}
		w.abandon()
		// An end before its time is no end.
		w = newBlobWriter(filepath.Join(t.TempDir(), "blob"), int64(len(all)))
		if err := pump(w, io.MultiReader(bytes.NewReader(all[:at]), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off after %d bytes: %v", at, err)
		}
		w.abandon()
		w = newBlobWriter(filepath.Join(t.TempDir(), "blob"), at)
		if err := pump(w, bytes.NewReader(all)); problem.CodeOf(err) != problem.FileTooLarge {
			t.Errorf("more than %d bytes: %v", at, err)
		}
		w.abandon()
	}
	w := newBlobWriter(filepath.Join(t.TempDir(), "no", "folder"), int64(len(all)))
	if err := pump(w, bytes.NewReader(all)); err == nil {
		t.Error("what cannot be written is said to be")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w = newBlobWriter(filepath.Join(t.TempDir(), "blob"), int64(len(all)))
	defer w.abandon()
	err := pump(w, &ctxReader{ctx, readerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
