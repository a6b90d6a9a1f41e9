package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// inlineBytes is how large a content may be to live in the metadata: up to here one row
// costs less than the three fsyncs of a file (0.4 against 0.7 ms).
const inlineBytes = 16 << 10

// blob is content that a run brought in, private to the run until its commit. Entries of
// the overlay share it; the last one to let go removes it.
type blob struct {
	hash string
	size int64
	head []byte // for telling its type
	data []byte // if it is small: all of it
	path string // otherwise: a file in tmp/, or in files/ once it is published

	published bool
	refs      int           // guarded by the run
	memory    *atomic.Int64 // counts data, or nil
}

// release forgets one use.
func (b *blob) release() {
	if b == nil {
		return
	}
	if b.refs--; b.refs > 0 {
		return
	}
	if b.memory != nil {
		b.memory.Add(-int64(len(b.data)))
		b.memory = nil
	}
	if b.path != "" && !b.published {
		_ = os.Remove(b.path) // who reads it still holds it open; a rest is swept at start
	}
}

func (b *blob) open() (*os.File, error) {
	if b.path == "" {
		return openBytes(b.data)
	}
	return os.Open(b.path)
}

// blobWriter takes bytes, hashes them on the way and keeps them in memory until they are
// too many, then in a file.
type blobWriter struct {
	max    int64
	inline int    // up to how many bytes it stays in memory
	name   string // of the file in tmp/
	size   int64
	sum    hash.Hash
	data   []byte
	file   *os.File
	head   []byte
}

func newBlobWriter(name string, max int64) *blobWriter {
	return &blobWriter{max: max, inline: inlineBytes, name: name, sum: sha256.New()}
}

// Write implements io.Writer; it answers file_too_large before it takes too much.
func (w *blobWriter) Write(p []byte) (int, error) {
	if w.size+int64(len(p)) > w.max {
		return 0, tooLarge(w.max)
	}
	w.size += int64(len(p))
	w.sum.Write(p)
	if room := sniffBytes - len(w.head); room > 0 {
		w.head = append(w.head, p[:min(room, len(p))]...)
	}
	if w.file == nil {
		if len(w.data)+len(p) <= w.inline {
			w.data = append(w.data, p...)
			return len(p), nil
		}
		if err := w.spill(); err != nil {
			return 0, err
		}
	}
	if _, err := w.file.Write(p); err != nil {
		return 0, fmt.Errorf("write blob: %w", err)
	}
	return len(p), nil
}

func (w *blobWriter) spill() (err error) {
	w.file, err = os.OpenFile(w.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return fmt.Errorf("make blob: %w", err)
	}
	if _, err := w.file.Write(w.data); err != nil {
		return fmt.Errorf("write blob: %w", err)
	}
	w.data = nil
	return nil
}

// finish gives what was written as a blob.
func (w *blobWriter) finish() (*blob, error) {
	b := &blob{hash: hex.EncodeToString(w.sum.Sum(nil)), size: w.size, head: w.head, data: w.data}
	if w.file == nil {
		return b, nil
	}
	b.path = w.name
	if err := w.file.Close(); err != nil {
		_ = os.Remove(w.name)
		return nil, fmt.Errorf("write blob: %w", err)
	}
	return b, nil
}

// abandon removes what was written.
func (w *blobWriter) abandon() {
	if w.file != nil {
		_ = w.file.Close()
		_ = os.Remove(w.name)
	}
}

// tooLarge does not say by how much: whoever streams a file in stops at the limit.
func tooLarge(max int64) error {
	return problem.New(problem.FileTooLarge, "the file has more than the %s that a file may have", bytesText(max)).With("limit", max)
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n >= limits.GB:
		return fmt.Sprintf("%.1f GB", float64(n)/float64(limits.GB))
	case n >= limits.MB:
		return fmt.Sprintf("%.1f MB", float64(n)/float64(limits.MB))
	case n >= limits.KB:
		return fmt.Sprintf("%.1f KB", float64(n)/float64(limits.KB))
	}
	return fmt.Sprintf("%d bytes", n)
}

// publisher moves blobs to their place in files/, durably.
type publisher struct {
	folder *folder
	faults func(string)

	mu    sync.Mutex
	made  map[string]bool // folders of files/ that are known to be durable
	stray map[string]bool // published for a run that then failed; for GC to look at
}

func newPublisher(f *folder, faults func(string)) *publisher {
	return &publisher{folder: f, faults: faults, made: map[string]bool{}, stray: map[string]bool{}}
}

// publish makes the given blobs' files durable under their hashes: the bytes first, then
// the name, then one fsync of each folder touched. Until the metadata says so, nothing
// refers to them. Two runs that publish the same content write the same file.
func (p *publisher) publish(blobs []*blob) error {
	touched := map[string]bool{}
	for _, b := range blobs {
		if b.path == "" || b.published {
			continue
		}
		final := p.folder.blob(b.hash)
		sub := filepath.Dir(final)
		if err := p.makeFolder(sub); err != nil {
			return err
		}
		if err := syncFile(b.path); err != nil {
			return err
		}
		p.faults("blob.written")
		if err := os.Rename(b.path, final); err != nil {
			return fmt.Errorf("publish blob: %w", err)
		}
		b.path, b.published = final, true
		touched[sub] = true
		p.faults("blob.renamed")
	}
	for sub := range touched {
		if err := syncFolder(sub); err != nil {
			return err
		}
	}
	if len(touched) > 0 {
		p.faults("blob.folder-synced")
	}
	return nil
}

func (p *publisher) makeFolder(sub string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made[sub] {
		return nil
	}
	if err := os.Mkdir(sub, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make blob folder: %w", err)
	}
	if err := syncFolder(filepath.Dir(sub)); err != nil {
		return err
	}
	p.made[sub] = true
	return nil
}

// abandon remembers published blobs of a run that failed.
func (p *publisher) abandon(blobs []*blob) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range blobs {
		if b.published {
			p.stray[b.hash] = true
		}
	}
}

// strays hands over what abandon remembered.
func (p *publisher) strays() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var hashes []string
	for hash := range p.stray {
		hashes = append(hashes, hash)
	}
	clear(p.stray)
	return hashes
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync blob: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync blob: %w", err)
	}
	return nil
}

// spill moves a small content to a file in tmp/.
func (b *blob) spill(name string) error {
	if err := os.WriteFile(name, b.data, 0o400); err != nil {
		return fmt.Errorf("write blob: %w", err)
	}
	b.path = name
	return nil
}
