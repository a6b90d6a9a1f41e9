package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/problem"
)

// archiveSuffix is of backups that are one file.
const archiveSuffix = ".tar.zst"

type backupCmd struct {
	To string `arg:"" help:"Where to: a file NAME.tar.zst, a new or empty folder, or - for standard output (tar.zst)." placeholder:"TO"`
	folderFlag
}

// Help is shown below the summary.
func (backupCmd) Help() string {
	return `Runs go on meanwhile, and each is in the backup whole or not at all. A server that has the data folder is asked for it.
Without a server, a folder on the same disk gets hard links of large contents, which never change, instead of copies.
The backup holds what the data folder holds, the token and keys included: keep it as safe.

Examples:

  sandboxd backup monday.tar.zst
  sandboxd backup - | ssh elsewhere 'cat > sandboxd.tar.zst'
  sandboxd restore monday.tar.zst --data /srv/sandboxd`
}

func (c *backupCmd) Run(a *app) error {
	manifest, err := c.take(a)
	if err != nil {
		return said(err)
	}
	if manifest.Files > 0 { // a server does not tell
		fmt.Fprintf(a.err, "backed up %d files with %d bytes\n", manifest.Files, manifest.Bytes)
	} else {
		fmt.Fprintln(a.err, "backed up by the server that has the data folder")
	}
	return nil
}

func (c *backupCmd) take(a *app) (manifest backup.Manifest, err error) {
	here := func(make func() (*backup.Writer, error)) func(*sandboxd.Host) error {
		return func(h *sandboxd.Host) error {
			to, err := make()
			if err == nil {
				manifest, err = h.Backup(a.ctx, to)
			}
			return err
		}
	}
	stream := func(w io.Writer) error {
		return c.with(a, here(func() (*backup.Writer, error) { return backup.ToStream(w) }), func(server *running) error {
			answer, err := server.ask("POST", "/api/backup", nil)
			if err != nil {
				return err
			}
			defer answer.Close()
			_, err = io.Copy(w, answer)
			return err
		})
	}
	switch {
	case c.To == "-":
		return manifest, stream(a.out)
	case strings.HasSuffix(c.To, archiveSuffix):
		return manifest, writeWhole(c.To, stream)
	}
	if info, err := os.Stat(c.To); err == nil && !info.IsDir() {
		return manifest, problem.New(problem.Exists, "there is a file %q already", c.To).WithHint("Name a file that ends in %s, or a folder that is new or empty.", archiveSuffix)
	}
	return manifest, c.with(a, here(func() (*backup.Writer, error) { return backup.ToFolder(c.To) }), func(server *running) error {
		answer, err := server.ask("POST", "/api/backup", nil)
		if err != nil {
			return err
		}
		defer answer.Close()
		manifest, err = backup.Unpack(a.ctx, backup.FromStream(answer), c.To)
		return err
	})
}

// writeWhole makes a file that is there only when it is whole.
func writeWhole(path string, fill func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return problem.New(problem.Exists, "there is a file %q already", path).WithHint("Choose another name, or remove it.")
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".partial-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	err = fill(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

type restoreCmd struct {
	From string `arg:"" help:"A backup: a file, a folder, or - for standard input." placeholder:"FROM"`
	dataFlag
}

// Help is shown below the summary.
func (restoreCmd) Help() string {
	return `The data folder must not be there, or be empty. Every content is checked against its hash, every other file against the
backup's own list, and the database by SQLite; what is damaged or cut off is refused, and then the folder stays empty.`
}

func (c *restoreCmd) Run(a *app) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	var source backup.Source
	if c.From == "-" {
		source = backup.FromStream(a.in)
	} else if info, err := os.Stat(c.From); err != nil {
		return err
	} else if info.IsDir() {
		source = backup.FromFolder(c.From)
	} else {
		file, err := os.Open(c.From)
		if err != nil {
			return err
		}
		defer file.Close()
		source = backup.FromStream(file)
	}
	manifest, err := backup.Restore(a.ctx, source, dir)
	if err != nil {
		return said(err)
	}
	fmt.Fprintf(a.err, "restored %d files with %d bytes into %s, as of %s\n", manifest.Files, manifest.Bytes, dir, manifest.TakenOn.Format("2006-01-02 15:04:05 MST"))
	return nil
}

// said makes problems of what can be wrong with a backup, for people.
func said(err error) error {
	switch {
	case errors.Is(err, backup.ErrNotEmpty):
		return problem.New(problem.Exists, "%v", err).WithHint("Nothing is overwritten: choose a folder that is new or empty.")
	case errors.Is(err, backup.ErrDamaged):
		return problem.New(problem.DamagedFile, "%v", err).WithHint("Use another backup.")
	case errors.Is(err, backup.ErrTooLarge):
		return problem.New(problem.FileTooLarge, "%v", err).WithHint("Make room, or restore it to another disk.")
	}
	return err
}
