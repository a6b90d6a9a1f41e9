package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// scan gives what is known of a text file's lines, from the cache if the content was
// seen before. Binary content is not_text.
func scan(ctx context.Context, env *op.Env, file host.File, data io.ReaderAt) (*text.Index, error) {
	key := op.CacheKey{Kind: "files.text", Hash: file.Hash}
	index, ok := env.Cache.Get(key).(*text.Index)
	if !ok {
		var err error
		if index, err = text.Scan(ctx, data, file.Size); err != nil {
			return nil, failedTo("read", file.Name, err)
		}
		env.Cache.Put(key, index, index.Memory())
	}
	if index.Binary != "" {
		return nil, notText(file.Name, index.Binary)
	}
	return index, nil
}

// notText says what the file is and what to use instead.
func notText(name, kind string) error {
	e := problem.New(problem.NotText, "%q is %s and not text", name, kind).With("mime_type", kind)
	switch {
	case strings.Contains(kind, "spreadsheet"), strings.Contains(kind, "ms-excel"):
		return e.WithHint("Use files.spreadsheet.listSheets and files.spreadsheet.readRange.")
	case strings.Contains(kind, "utf-32"):
		return e.WithHint("UTF-32 is not supported as text; files.readBytes gives its bytes.")
	}
	return e.WithHint("Use files.readBytes for its bytes, or the operations of its format; help() lists them.")
}

// failedTo is the error of reading or writing bytes that should have worked.
func failedTo(do, name string, err error) error {
	var known *problem.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.EFBIG):
		return problem.New(problem.FileTooLarge, "%q is larger than a file may be", name).WithCause(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return problem.New(problem.WorkspaceFull, "there is no space left for %q", name).WithCause(err)
	case errors.Is(err, fs.ErrClosed):
		return problem.New(problem.Canceled, "the run ended while %q was open", name).WithCause(err)
	}
	return problem.New(problem.Internal, "could not %s %q", do, name).WithCause(err)
}

// readSmall reads a whole file that is known to be small.
func readSmall(from *os.File, file host.File) (*bytes.Reader, error) {
	data := make([]byte, file.Size)
	if n, err := from.ReadAt(data, 0); n < len(data) {
		return nil, failedTo("read", file.Name, err)
	}
	return bytes.NewReader(data), nil
}
