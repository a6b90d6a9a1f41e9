package spreadsheet

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// openBook opens a file's content as a workbook, whichever kind it is.
func openBook(ctx context.Context, env *op.Env, file host.File, src io.ReaderAt, size int64) (sheet.Book, error) {
	if isCSV(file, src) {
		return csvfile.Open(ctx, src, size, csvfile.Options{Name: path.Base(file.Name)})
	}
	wb, err := xlsx.Open(ctx, src, size, xlsx.Options{
		MaxInflated: env.Limits.InflatedBytes, MaxStrings: env.Limits.Memory / 3,
	})
	if err != nil {
		return nil, named(err, file.Name)
	}
	return wb, nil
}

// isCSV tells a csv or tsv file by its name or type, unless its bytes are a workbook's.
func isCSV(file host.File, src io.ReaderAt) bool {
	head := make([]byte, 4)
	n, _ := src.ReadAt(head, 0)
	if s := string(head[:n]); s == "PK\x03\x04" || s == "\xd0\xcf\x11\xe0" {
		return false
	}
	switch strings.ToLower(path.Ext(file.Name)) {
	case ".csv", ".tsv", ".tab", ".txt":
		return true
	case ".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb":
		return false
	}
	return strings.HasPrefix(file.MimeType, "text/") && !strings.HasPrefix(file.MimeType, "text/html") && !strings.HasPrefix(file.MimeType, "text/xml")
}

// named says of a problem with a file which one it is.
func named(err error, name string) error {
	var e *problem.Error
	if !errors.As(err, &e) || e.Code == problem.Canceled || e.Code == problem.Timeout {
		return err
	}
	c := *e
	c.Message = "\"" + name + "\": " + e.Message
	return &c
}

// cacheKind is how books are called in the worker's cache.
const cacheKind = "spreadsheet"

func cacheKeyOf(file host.File) op.CacheKey {
	return op.CacheKey{Kind: cacheKind + path.Ext(file.Name), Hash: file.Hash}
}

// read hands a file's book to look: that of the document held for it, one that is kept
// from an earlier call on the same content, or a new one.
func read(ctx context.Context, env *op.Env, ref string, look func(host.File, sheet.Book) error) error {
	return readAs(ctx, env, ref, false, look)
}

// readWritten is read for what needs the bytes of the workbook: it hands out the book as
// opened from them.
func readWritten(ctx context.Context, env *op.Env, ref string, look func(host.File, sheet.Book) error) error {
	return readAs(ctx, env, ref, true, look)
}

func readAs(ctx context.Context, env *op.Env, ref string, written bool, look func(host.File, sheet.Book) error) error {
	if done, err := readHeld(ctx, env, ref, written, look); done || err != nil {
		return err
	}
	file, err := env.Host.Stat(ctx, ref)
	if err != nil {
		return err
	}
	key := cacheKeyOf(file)
	book, _ := env.Cache.Get(key).(sheet.Book)
	if book == nil {
		opened, err := env.Host.Open(ctx, file.ID, 0)
		if err != nil {
			return err
		}
		// The book reads from the descriptor as long as it lives, in the cache too; the
		// garbage collector closes it.
		file = opened.File
		if book, err = openBook(ctx, env, file, opened.Data, file.Size); err != nil {
			opened.Data.Close()
			return err
		}
		key.Hash = file.Hash
	}
	before := book.Size()
	err = look(file, book)
	if after := book.Size(); env.Cache.Get(key) == nil || after > before {
		env.Cache.Put(key, book, after)
	}
	return err
}

// findSheet gives the index of a sheet by its name; the case of letters counts only
// between names that differ by nothing else.
func findSheet(book sheet.Book, name string) (int, error) {
	found := -1
	list := book.Sheets()
	for i, s := range list {
		if s.Name == name {
			return i, nil
		}
		if found < 0 && strings.EqualFold(s.Name, name) {
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	if _, csv := book.(*csvfile.Table); csv && (name == "" || strings.EqualFold(name, "Sheet1")) {
		return 0, nil // what a single sheet is called elsewhere
	}
	var names []string
	for i, s := range list {
		if i == 20 {
			names = append(names, "…")
			break
		}
		names = append(names, "\""+s.Name+"\"")
	}
	return 0, problem.New(problem.NotFound, "there is no sheet %q", name).
		WithHint("The sheets are %s.", strings.Join(names, ", ")).With("argument", "sheet")
}
