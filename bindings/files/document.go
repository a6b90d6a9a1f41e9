package files

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/text"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// document is a file that a run has changed by lines or bytes and not saved yet, so that
// ten thousand appends write the file once. It has content only while there is something
// to save.
type document struct {
	env *op.Env
	id  string

	mu      sync.Mutex
	file    host.File // as it was when the content was opened
	content *text.Buffer
	base    *os.File // what content reads from; nil if that is in memory
}

var _ op.Held = (*document)(nil)

// keepInMemory is the size up to which a file that is being changed is read at once
// instead of being kept open: a run may change thousands of files.
const keepInMemory = 256 << 10

// maxHeld is how many files a run holds changed and unsaved: what is in memory of one is
// up to keepInMemory and what was changed.
const maxHeld = 200

// Save makes the content a new version of the file.
func (d *document) Save(ctx context.Context, direct host.Host) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.save(ctx, direct)
}

func (d *document) save(ctx context.Context, direct host.Host) error {
	if d.content == nil {
		return nil
	}
	stage, err := direct.Stage(ctx)
	if err != nil {
		return err
	}
	defer stage.Data.Close()
	if err := d.content.WriteTo(ctx, stage.Data); err != nil {
		return failedTo("write", d.file.Name, err)
	}
	if _, err := direct.Put(ctx, d.id, stage.ID); err != nil {
		return err
	}
	d.release()
	return nil
}

// release forgets the content.
func (d *document) release() {
	d.content = nil
	if d.base != nil {
		d.base.Close()
		d.base = nil
	}
}

// load opens the file's content, for its lines or for its bytes.
func (d *document) load(ctx context.Context, asText bool) error {
	if d.content != nil {
		if d.content.Plain() != asText {
			return nil
		}
		// Lines of bytes that were changed have to be looked at afresh, and a text's
		// bytes may be changed to be no text: start again from the saved file.
		if err := d.save(ctx, d.env.Direct); err != nil {
			return err
		}
	}
	from := d.env.Host // if another document is held for the file, its changes come first
	if d.env.HeldOf(d.id) == op.Held(d) {
		from = d.env.Direct
	}
	opened, err := from.Open(ctx, d.id, 0)
	if err != nil {
		return err
	}
	d.file, d.base = opened.File, opened.Data
	if err := d.fill(ctx, asText); err != nil {
		d.release()
		return err
	}
	d.content.Limit(d.env.Limits.FileBytes)
	return nil
}

func (d *document) fill(ctx context.Context, asText bool) error {
	var from io.ReaderAt = d.base
	if d.file.Size <= keepInMemory {
		small, err := readSmall(d.base, d.file)
		if err != nil {
			return err
		}
		d.base.Close()
		from, d.base = small, nil
	}
	if !asText {
		d.content = text.NewBytes(from, d.file.Size)
		return nil
	}
	index, err := scan(ctx, d.env, d.file, from)
	if err != nil {
		return err
	}
	d.content = text.NewBuffer(from, index)
	return nil
}

// edit changes a file by change, which must leave the content as it was when it fails.
// Edits of one file take turns.
func edit(ctx context.Context, env *op.Env, ref string, asText bool, change func(d *document) error) error {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return err
	}
	unlock, err := env.Lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()

	d, held := env.HeldOf(id).(*document)
	if !held {
		d = &document{env: env, id: id}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fresh := d.content == nil
	if err := d.load(ctx, asText); err != nil {
		return err
	}
	if err := change(d); err != nil {
		if fresh {
			d.release()
		}
		return err
	}
	if held {
		return nil
	}
	env.Hold(id, d)
	return env.Relieve(ctx, id, maxHeld)
}

// change applies a change that the content itself refuses if it would grow too large.
func (d *document) change(do func(b *text.Buffer) (*text.Lacks, error)) (*text.Lacks, error) {
	lacks, err := do(d.content)
	var large *text.TooLarge
	if errors.As(err, &large) {
		return nil, tooLarge(d.file.Name, large.Size, large.Max)
	}
	if err != nil {
		return nil, failedTo("change", d.file.Name, err)
	}
	return lacks, nil
}

func tooLarge(name string, size, limit int64) error {
	return problem.New(problem.FileTooLarge, "%q would have %d bytes; a file may have %d", name, size, limit).With("limit", limit)
}

// view looks at a file's content: that of the document held for it, or the file's own.
func view(ctx context.Context, env *op.Env, ref string, version int64, asText bool, look func(file host.File, b *text.Buffer) error) error {
	if version == 0 {
		done, err := viewHeld(ctx, env, ref, asText, look)
		if done || err != nil {
			return err
		}
	}
	opened, err := env.Host.Open(ctx, ref, version)
	if err != nil {
		return err
	}
	defer opened.Data.Close()
	if !asText {
		return look(opened.File, text.NewBytes(opened.Data, opened.File.Size))
	}
	index, err := scan(ctx, env, opened.File, opened.Data)
	if err != nil {
		return err
	}
	return look(opened.File, text.NewBuffer(opened.Data, index))
}

func viewHeld(ctx context.Context, env *op.Env, ref string, asText bool, look func(host.File, *text.Buffer) error) (done bool, err error) {
	if looksLikeID(ref) && env.HeldOf(ref) == nil {
		return false, nil // opening it tells whether it exists
	}
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return false, err
	}
	d, ok := env.HeldOf(id).(*document)
	if !ok {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.content == nil || d.content.Plain() == asText {
		return false, nil
	}
	return true, look(d.file, d.content)
}

// idOf gives the id of the file that ref names, which may be its id. It does not settle:
// a document that is held stays unsaved.
func idOf(ctx context.Context, env *op.Env, ref string) (string, error) {
	if _, held := env.HeldOf(ref).(*document); held {
		return ref, nil
	}
	file, err := env.Direct.Stat(ctx, ref)
	return file.ID, err
}

// looksLikeID tells of a UUID: 36 characters with hyphens in their places.
func looksLikeID(ref string) bool {
	if len(ref) != 36 {
		return false
	}
	for i, c := range []byte(ref) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if hyphen != (c == '-') || !hyphen && !hex {
			return false
		}
	}
	return true
}
