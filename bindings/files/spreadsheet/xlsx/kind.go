package xlsx

import (
	"bytes"
	"io"

	"github.com/sandboxd/sandboxd/problem"
)

// checkKind tells what is wrong with a file that is not a zip archive, nil if it is one.
func checkKind(src io.ReaderAt, size int64) error {
	head := make([]byte, 512)
	n, err := src.ReadAt(head, 0)
	head = head[:n]
	if err != nil && err != io.EOF {
		return damaged("the file cannot be read").WithCause(err)
	}
	switch {
	case size == 0:
		return damaged("the file is empty, not a workbook").
			WithHint("Create a workbook with files.spreadsheet.create.")
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return compoundFile(src, size)
	case bytes.HasPrefix(head, []byte("\x09\x08")), bytes.HasPrefix(head, []byte("\x09\x04\x06\x00")),
		bytes.HasPrefix(head, []byte("\x09\x02\x06\x00")), bytes.HasPrefix(head, []byte("\x09\x00\x04\x00")):
		return legacy()
	case bytes.HasPrefix(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"), []byte("<")):
		return problem.New(problem.UnsupportedFormat, "the file is XML or HTML text, not an xlsx workbook").
			WithHint("Open it in a spreadsheet program and save it as .xlsx.")
	}
	return nil
}

// compoundFile tells the two kinds of workbooks in an OLE compound file apart: those
// with a password, and those of Excel 97. The names of the streams within, in UTF-16,
// stand in a directory that may lie anywhere.
func compoundFile(src io.ReaderAt, size int64) error {
	name := []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")
	buf := make([]byte, 1<<20)
	for off := int64(0); off < size; off += int64(len(buf) - len(name)) {
		n, err := src.ReadAt(buf, off)
		if bytes.Contains(buf[:n], name) {
			return problem.New(problem.PasswordRequired, "the workbook is encrypted with a password").
				WithHint("Ask for a copy without a password.")
		}
		if err != nil {
			break
		}
	}
	return legacy()
}

func legacy() error {
	return problem.New(problem.UnsupportedFormat, "the file is a workbook of Excel 97-2003 (.xls)").
		WithHint("Open it in a spreadsheet program and save it as .xlsx.")
}
