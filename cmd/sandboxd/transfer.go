package main

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sandboxd/sandboxd/host"
)

// Files to and from the server that has the data folder.

// filePath is where the server has a file, by its id or name.
func filePath(ref string) string { return "/api/files/" + url.PathEscape(ref) }

// upload sends files of the disk, all of them or none, under their base names or name.
func (s *running) upload(a *app, paths []string, name string, replace bool) ([]host.File, error) {
	path, err := s.uploadPath(name, replace)
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	sent := make(chan struct{})
	go func() { // ends when all is sent, or the request is answered
		defer close(sent)
		to.CloseWithError(errors.Join(fill(a, form, paths, name), form.Close()))
	}()
	var stored struct{ Files []host.File }
	res, err := s.send("POST", path, form.FormDataContentType(), from)
	from.Close()
	if err != nil {
		return nil, err
	}
	<-sent
	err = decode(res.Body, &stored)
	for i := range stored.Files { // of which an upload tells only a part
		if err == nil {
			err = s.call("GET", filePath(stored.Files[i].ID), nil, &stored.Files[i])
		}
	}
	return stored.Files, err
}

// uploadPath is where the server takes a form of files. A form's names have no folders, so
// a file that gets a name goes to a link that knows it.
func (s *running) uploadPath(name string, replace bool) (string, error) {
	if name == "" {
		return "/api/files/upload?replace=" + strconv.FormatBool(replace), nil
	}
	var link struct{ URL string }
	if err := s.call("POST", "/api/links/upload", map[string]any{"name": name, "replace": replace}, &link); err != nil {
		return "", err
	}
	at, err := url.Parse(link.URL) // its host is the one for other clients
	if err != nil {
		return "", err
	}
	return at.Path, nil
}

// fill writes files of the disk into a form.
func fill(a *app, form *multipart.Writer, paths []string, name string) error {
	for _, path := range paths {
		called := name
		if called == "" {
			called = filepath.Base(path)
		}
		part, err := form.CreateFormFile("file", called)
		if err != nil {
			return err
		}
		var body io.Reader = a.in
		if path != "-" {
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			body = file
		}
		if _, err := io.Copy(part, body); err != nil {
			return err
		}
	}
	return nil
}

// download copies a version of a file, 0 for the latest, to what create makes for its name.
func (s *running) download(ref string, version int64, create func(name string) (io.WriteCloser, error)) error {
	path := filePath(ref) + "/download"
	if version != 0 {
		path += "?version=" + strconv.FormatInt(version, 10)
	}
	res, err := s.send("GET", path, "", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	if err != nil {
		return err
	}
	return copyTo(create, params["filename"], res.Body)
}

// remove deletes files, if all of them are there.
func (s *running) remove(refs []string) error {
	ids := make([]string, len(refs))
	for i, ref := range refs {
		var file host.File
		if err := s.call("GET", filePath(ref), nil, &file); err != nil {
			return err
		}
		ids[i] = file.ID
	}
	for _, id := range ids {
		answer, err := s.ask("DELETE", filePath(id), nil)
		if err != nil {
			return err
		}
		answer.Close()
	}
	return nil
}
