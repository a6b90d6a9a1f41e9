package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

type filesCmd struct {
	Ls       filesLsCmd       `cmd:"" help:"List files."`
	Put      filesPutCmd      `cmd:"" help:"Put files into the workspace."`
	Get      filesGetCmd      `cmd:"" help:"Write a file of the workspace to the disk, or to standard output."`
	Rm       filesRmCmd       `cmd:"" help:"Delete files; their versions are kept."`
	Versions filesVersionsCmd `cmd:"" help:"List the versions of a file, newest first."`
	Restore  filesRestoreCmd  `cmd:"" help:"Make an old version of a file the newest one."`
}

type filesLsCmd struct {
	Pattern string `arg:"" optional:"" help:"A glob, such as '*.csv' or 'reports/**'."`
	JSON    bool   `help:"Print JSON: {files: [...]}."`
	folderFlag
}

func (c *filesLsCmd) Run(a *app) error {
	var list struct {
		Files []host.File `json:"files"`
	}
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		list.Files, err = h.Files("").List(a.ctx, c.Pattern)
		return err
	}, func(server *running) error {
		return server.call("GET", "/api/files?"+url.Values{"pattern": {c.Pattern}}.Encode(), nil, &list)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range list.Files {
		fmt.Fprintf(w, "%s\t%s\t%d\tv%d\t%s\t%s\n", f.ID, f.ModifiedOn, f.Size, f.Version, f.MimeType, f.Name)
	}
	return w.Flush()
}

type filesPutCmd struct {
	Path    []string `arg:"" help:"Files to put, all of them or none; - is standard input."`
	Name    string   `help:"The name in the workspace, for a single file. Defaults to its base name."`
	Replace bool     `help:"Make a new version of a file of the same name instead of a new file \"name (2).ext\"."`
	JSON    bool     `help:"Print JSON: {files: [...]}."`
	folderFlag
}

// Help is shown below the summary.
func (filesPutCmd) Help() string {
	return `Examples:

  sandboxd files put report.csv --replace
  sandboxd files put notes.md --name 2026/notes.md`
}

// Validate is called by kong.
func (c *filesPutCmd) Validate() error {
	if c.Name != "" && len(c.Path) > 1 {
		return fmt.Errorf("--name goes with a single file, not with %d", len(c.Path))
	}
	if c.Name == "" && slices.Contains(c.Path, "-") {
		return errors.New("standard input has no name of its own: give one with --name")
	}
	return checkInFiles("<path>", c.Path...)
}

func (c *filesPutCmd) Run(a *app) error {
	var files []host.File
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		files, err = putFiles(a, h.Files(""), c.Path, c.Name, c.Replace)
		return err
	}, func(server *running) (err error) {
		files, err = server.upload(a, c.Path, c.Name, c.Replace)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"files": files})
	}
	for _, f := range files {
		fmt.Fprintf(a.out, "%s (version %d, %d bytes)\n", f.Name, f.Version, f.Size)
	}
	return nil
}

// putFiles uploads files of the disk, all of them or none, under their base names or name.
func putFiles(a *app, to *sandboxd.Files, paths []string, name string, replace bool) ([]host.File, error) {
	var open io.Closer = nopCloser{}
	defer func() { open.Close() }()
	return to.PutAll(a.ctx, func() (sandboxd.Upload, error) {
		if len(paths) == 0 {
			return sandboxd.Upload{}, io.EOF
		}
		u := sandboxd.Upload{Name: name, Replace: replace}
		if name == "" {
			u.Name = filepath.Base(paths[0])
		}
		open.Close()
		if paths[0] == "-" {
			open, u.Body = nopCloser{}, a.in
		} else {
			f, err := os.Open(paths[0])
			if err != nil {
				return sandboxd.Upload{}, err
			}
			open, u.Body = f, f
		}
		paths = paths[1:]
		return u, nil
	})
}

type filesGetCmd struct {
	File    string `arg:"" help:"The file's name or id."`
	Out     string `short:"o" help:"Where to write it: a file, a folder, or - for standard output. Defaults to its base name in this folder." placeholder:"PATH"`
	Version int64  `help:"Which version; the latest if not given."`
	Force   bool   `short:"f" help:"Overwrite what is there."`
	folderFlag
}

func (c *filesGetCmd) Run(a *app) error {
	create := func(name string) (io.WriteCloser, error) { return c.create(a, name) }
	return c.with(a, func(h *sandboxd.Host) error {
		return getFile(a, h, c.File, c.Version, create)
	}, func(server *running) error {
		return server.download(c.File, c.Version, create)
	})
}

// create makes the file of the disk, or standard output, for a file of that name.
func (c *filesGetCmd) create(a *app, name string) (io.WriteCloser, error) {
	target := c.Out
	if target == "-" {
		return nopCloser{a.out}, nil
	}
	if target == "" {
		target = path.Base(name)
	} else if info, err := os.Stat(target); err == nil && info.IsDir() {
		target = filepath.Join(target, path.Base(name))
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if !c.Force {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(target, flags, 0o666)
	if os.IsExist(err) {
		return nil, problem.New(problem.Exists, "there is a file at %s already", target).WithHint("Use --force to overwrite it, or -o PATH.")
	}
	return f, err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// getFile copies a version of a file to what create makes for its name.
func getFile(a *app, h *sandboxd.Host, ref string, version int64, create func(name string) (io.WriteCloser, error)) error {
	opened, err := h.Files("").Open(a.ctx, ref, version)
	if err != nil {
		return err
	}
	defer opened.Data.Close()
	return copyTo(create, opened.File.Name, io.NewSectionReader(opened.Data, 0, opened.File.Size))
}

func copyTo(create func(name string) (io.WriteCloser, error), name string, from io.Reader) error {
	w, err := create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return err
}

type filesRmCmd struct {
	File []string `arg:"" help:"Names or ids."`
	folderFlag
}

func (c *filesRmCmd) Run(a *app) error {
	return c.with(a, func(h *sandboxd.Host) error {
		return h.Files("").Delete(a.ctx, c.File...)
	}, func(server *running) error { return server.remove(c.File) })
}

type filesVersionsCmd struct {
	File string `arg:"" help:"The file's name or id; of deleted files too."`
	JSON bool   `help:"Print JSON: {versions: [...]}."`
	folderFlag
}

func (c *filesVersionsCmd) Run(a *app) error {
	var list struct {
		Versions []host.Version `json:"versions"`
	}
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		list.Versions, err = h.Files("").Versions(a.ctx, c.File)
		return err
	}, func(server *running) error { return server.call("GET", filePath(c.File)+"/versions", nil, &list) })
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, v := range list.Versions {
		fmt.Fprintf(w, "v%d\t%s\t%s\t%d\t%s\trun %s\n", v.Version, v.ModifiedOn, v.Action, v.Size, v.Name, v.RunID)
	}
	return w.Flush()
}

type filesRestoreCmd struct {
	File    string `arg:"" help:"The file's name or id."`
	Version int64  `arg:"" help:"The version to restore."`
	JSON    bool   `help:"Print the file as JSON."`
	folderFlag
}

func (c *filesRestoreCmd) Run(a *app) error {
	var file host.File
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		file, err = h.Files("").Restore(a.ctx, c.File, c.Version)
		return err
	}, func(server *running) error {
		return server.call("POST", filePath(c.File)+"/restore", map[string]int64{"version": c.Version}, &file)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(file)
	}
	fmt.Fprintf(a.out, "%s is version %d now\n", file.Name, file.Version)
	return nil
}
