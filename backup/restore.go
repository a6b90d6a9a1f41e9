package backup

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/sandboxd/sandboxd/workspace"
)

// ErrDamaged says that a backup is not whole, or is no backup.
var ErrDamaged = errors.New("the backup is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Restore makes a data folder of a backup. dir must not be there, or be empty
// (ErrNotEmpty), and is a data folder only when all is in it and checked: each content against its
// hash, each other file against the manifest, and the metadata by SQLite and for what it names.
// A backup that would fill the disk is ErrTooLarge. Events that the folder adds are numbered
// apart from those that the one that was backed up has had since.
func Restore(ctx context.Context, source Source, dir string) (Manifest, error) {
	return unpack(ctx, source, dir, func(made string) error {
		if err := os.Remove(filepath.Join(made, ManifestName)); err != nil {
			return err
		}
		if err := workspace.CheckBackup(ctx, made); err != nil {
			return damaged("%v", err)
		}
		if err := workspace.Restored(ctx, made); err != nil {
			return damaged("%v", err)
		}
		return nil
	})
}

// Unpack makes a folder of a backup that is a stream, checked like Restore, but still a
// backup: as ToFolder would have made it.
func Unpack(ctx context.Context, source Source, dir string) (Manifest, error) {
	return unpack(ctx, source, dir, func(made string) error {
		if err := workspace.CheckBackup(ctx, made); err != nil {
			return damaged("%v", err)
		}
		return nil
	})
}

func unpack(ctx context.Context, source Source, dir string, check func(made string) error) (Manifest, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Manifest{}, err
	}
	if err := makeEmpty(dir); err != nil {
		return Manifest{}, err
	}
	// Within it, because it may be where a volume is mounted.
	made := filepath.Join(dir, ".restoring")
	if err := os.Mkdir(made, 0o700); err != nil {
		return Manifest{}, err
	}
	defer os.RemoveAll(made)
	if room, known := room(made); known {
		source = Within(source, room)
	}
	in := &reader{dir: made, seen: map[string]Part{}}
	err = source(func(name string, src io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return in.place(name, src)
	})
	if err != nil {
		return Manifest{}, err
	}
	manifest, err := in.complete()
	if err != nil {
		return Manifest{}, err
	}
	if err := check(made); err != nil {
		return Manifest{}, err
	}
	if err := syncTree(made); err != nil {
		return Manifest{}, err
	}
	if err := moveUp(made, dir); err != nil {
		return Manifest{}, err
	}
	return manifest, nil
}

// moveUp moves all that is in a folder to the one above, the metadata last: without it
// there is no data folder.
func moveUp(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return cmp.Compare(strings.Index(a.Name(), "sandboxd.db"), strings.Index(b.Name(), "sandboxd.db"))
	})
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return syncFolder(to)
}

// Source gives the files of a backup to place.
type Source func(place func(name string, src io.Reader) error) error

// FromStream reads a backup that ToStream wrote.
func FromStream(r io.Reader) Source {
	return func(place func(string, io.Reader) error) error {
		plain, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return err
		}
		defer plain.Close()
		for archive := tar.NewReader(plain); ; {
			header, err := archive.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return damaged("%v", err)
			}
			if header.Typeflag != tar.TypeReg {
				return damaged("%.100q is no plain file", header.Name)
			}
			if err := place(header.Name, archive); err != nil {
				return err
			}
		}
	}
}

// FromFolder reads a backup that ToFolder wrote.
func FromFolder(dir string) Source {
	return func(place func(string, io.Reader) error) error {
		return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			if !e.Type().IsRegular() {
				return damaged("%.100q is no plain file", name)
			}
			src, err := os.Open(path)
			if err != nil {
				return err
			}
			defer src.Close()
			return place(filepath.ToSlash(name), src)
		})
	}
}

// reader places the files of a backup, which may come from anywhere, in a folder.
type reader struct {
	dir      string
	seen     map[string]Part
	manifest *Manifest
	contents int
	bytes    int64
}

func (r *reader) place(name string, src io.Reader) error {
	if !known(name) {
		return damaged("it has a file %.100q, which no data folder has", name)
	}
	if _, twice := r.seen[name]; twice {
		return damaged("it has %s twice", name)
	}
	if name == ManifestName {
		src = &bounded{src: src, left: manifestBytes, err: damaged("its %s has more than %d bytes", name, manifestBytes)}
	}
	to := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	sum, count := sha256.New(), &counter{}
	if err := write(to, io.TeeReader(src, io.MultiWriter(sum, count))); err != nil {
		var path *fs.PathError
		if errors.As(err, &path) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrDamaged) {
			return err
		}
		return damaged("%s: %v", name, err)
	}
	got := Part{name, count.n, hex.EncodeToString(sum.Sum(nil))}
	r.seen[name] = got
	if hash, isContent := contentHash(name); isContent {
		r.contents++
		r.bytes += got.Size
		if got.SHA256 != hash {
			return damaged("the content %s is not what its name says", hash)
		}
		return os.Chmod(to, 0o400)
	}
	if name != ManifestName {
		r.bytes += got.Size
		return nil
	}
	text, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	if r.manifest = new(Manifest); json.Unmarshal(text, r.manifest) != nil || r.manifest.Format != format {
		return damaged("this version of sandboxd does not understand its %s", ManifestName)
	}
	return nil
}

// complete holds what came against the manifest.
func (r *reader) complete() (Manifest, error) {
	if r.manifest == nil {
		return Manifest{}, damaged("it has no %s: it was cut off, or is no backup", ManifestName)
	}
	for _, want := range r.manifest.Parts {
		if r.seen[want.Name] != want {
			return Manifest{}, damaged("%s is missing or not what it was", want.Name)
		}
	}
	if files := r.contents + len(r.manifest.Parts); files != r.manifest.Files || files+1 != len(r.seen) || r.bytes != r.manifest.Bytes {
		return Manifest{}, damaged("it has %d files with %d bytes, and should have %d with %d", len(r.seen)-1, r.bytes, r.manifest.Files, r.manifest.Bytes)
	}
	return *r.manifest, nil
}

// known tells whether a backup may have a file of this name: nothing else is written.
func known(name string) bool {
	switch name {
	case "sandboxd.db", "token", ManifestName:
		return true
	}
	if _, isContent := contentHash(name); isContent {
		return true
	}
	parts := strings.Split(name, "/")
	return len(parts) == 3 && parts[0] == "db" && workspace.CheckWorkspace(parts[1]) == nil && workspace.IsDBFile(parts[2])
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// syncTree makes the entries of a folder and of those below it durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = syncFolder(path)
		}
		return err
	})
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
