// Package backup writes and reads backups of a data folder: a stream (tar, zstd) or a
// folder of the same files.
//
// A backup is the files of a data folder that fit each other, as workspace.Store.Backup
// gives them, and at its end backup.json with the hash of each. One that was cut off has
// no end and is refused. It holds what the data folder holds, keys and token hashes
// included: who has it can read everything, and sign links.
//
// Imports workspace. Start reading at Writer; Restore is the way back.
package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sandboxd/sandboxd/workspace"
)

// ManifestName is the last file of a backup.
const ManifestName = "backup.json"

// format is the one that this package writes, and the only one that it reads.
const format = 1

// Manifest says what a backup holds.
type Manifest struct {
	Format  int       `json:"format"`
	TakenOn time.Time `json:"taken_on"`
	Files   int       `json:"files"` // without the manifest
	Bytes   int64     `json:"bytes"`
	Parts   []Part    `json:"parts"` // of contents in files/ the name is the hash
}

// Part is a file of a backup whose name is not its hash.
type Part struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Writer takes the files of a backup and writes the manifest.
type Writer struct {
	manifest Manifest
	put      func(name string, size int64, src *os.File, path string, link bool) error
	close    func() error
}

// ToStream writes a backup as a stream.
func ToStream(w io.Writer) (*Writer, error) {
	compressed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(2))
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	out := newWriter()
	out.put = func(name string, size int64, src *os.File, _ string, _ bool) error {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: out.manifest.TakenOn, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := io.CopyN(archive, src, size)
		return err
	}
	out.close = func() error { return errors.Join(archive.Close(), compressed.Close()) }
	return out, nil
}

// ToFolder writes a backup into a new or an empty folder. Contents, which never change, are
// hard links where they can be.
func ToFolder(dir string) (*Writer, error) {
	if err := makeEmpty(dir); err != nil {
		return nil, err
	}
	out := newWriter()
	out.put = func(name string, size int64, src *os.File, path string, link bool) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if link && os.Link(path, to) == nil {
			return nil
		}
		return write(to, io.LimitReader(src, size))
	}
	out.close = func() error { return syncTree(dir) }
	return out, nil
}

func newWriter() *Writer {
	return &Writer{manifest: Manifest{Format: format, TakenOn: time.Now().UTC().Truncate(time.Second), Parts: []Part{}}}
}

// Put writes one file.
func (w *Writer) Put(part workspace.BackupPart) error {
	src, err := os.Open(part.Path)
	if err != nil {
		return err
	}
	defer src.Close()
	if _, isContent := contentHash(part.Name); !isContent {
		sum := sha256.New()
		if n, err := io.Copy(sum, src); err != nil || n != part.Size {
			return fmt.Errorf("back up %s: it has %d bytes instead of %d: %w", part.Name, n, part.Size, err)
		}
		if _, err := src.Seek(0, io.SeekStart); err != nil {
			return err
		}
		w.manifest.Parts = append(w.manifest.Parts, Part{part.Name, part.Size, hex.EncodeToString(sum.Sum(nil))})
	}
	w.manifest.Files++
	w.manifest.Bytes += part.Size
	return w.put(part.Name, part.Size, src, part.Path, part.Immutable)
}

// Close writes the manifest, which makes the backup whole, and gives it.
func (w *Writer) Close() (Manifest, error) {
	text, err := json.MarshalIndent(w.manifest, "", "  ")
	if err != nil {
		return Manifest{}, err
	}
	file, err := os.CreateTemp("", "sandboxd-manifest-")
	if err != nil {
		return Manifest{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return Manifest{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Manifest{}, err
	}
	if err := w.put(ManifestName, int64(len(text)), file, "", false); err != nil {
		return Manifest{}, err
	}
	return w.manifest, w.close()
}

// Take makes a backup of a store that may be in use.
func Take(ctx context.Context, store *workspace.Store, w *Writer) (Manifest, error) {
	if err := store.Backup(ctx, w.Put); err != nil {
		return Manifest{}, err
	}
	return w.Close()
}

// contentHash gives the hash that a content has as its name.
func contentHash(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "files/")
	hash := strings.Replace(rest, "/", "", 1)
	return hash, ok && len(rest) == 65 && rest[2] == '/' && len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == ""
}

// makeEmpty makes a folder, or is content with one that is empty.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%w: %s", ErrNotEmpty, dir)
	}
	return err
}

// ErrNotEmpty says that a folder that was to be filled has something in it.
var ErrNotEmpty = errors.New("the folder is not empty")

func write(path string, src io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, src); err != nil {
		f.Close()
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
