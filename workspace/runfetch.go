package workspace

import (
	"context"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// Fetch implements host.Host.
func (r *Run) Fetch(ctx context.Context, url, name string) (host.File, error) {
	if r.store.config.Fetcher == nil {
		return host.File{}, problem.New(problem.EngineMissing, "this sandboxd does not download")
	}
	if name != "" {
		clean, err := CleanName(name)
		if err != nil {
			return host.File{}, err
		}
		name = clean
	}
	var got Fetched
	b, err := r.collect(func(w *blobWriter) (err error) {
		got, err = r.store.config.Fetcher.Fetch(ctx, url, w, r.limits.FileBytes)
		return err
	})
	if err != nil {
		return host.File{}, err
	}
	b.refs++
	if name == "" {
		name = SafeName(got.Name, "download")
	}
	defer r.letGo(b)
	return r.change(ctx, func() (*entry, error) {
		if err := r.room(ctx, nil, b); err != nil {
			return nil, err
		}
		e, err := r.create(ctx, name, host.SourceCreated, fetchedType(b.head, name, got.MimeType), true)
		if err != nil {
			return nil, err
		}
		r.setContent(e, b, b.hash, b.size)
		r.bytesWritten.Add(b.size)
		return e, nil
	})
}
