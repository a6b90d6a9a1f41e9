package xlsx

import (
	"archive/zip"
	"context"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/inflate"
	"github.com/sandboxd/sandboxd/problem"
)

const (
	maxParts     = 20_000  // files in the package
	maxDirectory = 8 << 20 // bytes of the zip directory
)

// archive is the package's directory: its parts by name.
type archive struct {
	src     io.ReaderAt
	size    int64
	parts   map[string]*part // by exact name; of two with one name the last counts
	folded  map[string]*part // by lower-case name
	order   []*part          // as they stand in the file
	max     int64            // inflated bytes that all parts together may have
	seen    atomic.Int64     // inflated bytes of all parts so far, each counted once
	readers sync.Pool        // of *inflate.Reader
}

// part is one file of the package.
type part struct {
	name      string
	file      *zip.File
	inflated  int64 // bytes, as the directory claims
	locate    sync.Once
	offset    int64
	locateErr error
	seen      atomic.Int64 // most inflated bytes that any reader got to
}

// openArchive reads the directory. It is measured before anything is inflated.
func openArchive(src io.ReaderAt, size, maxInflated int64) (*archive, error) {
	dir := &metered{src: src, left: maxDirectory}
	z, err := zip.NewReader(dir, size)
	switch {
	case dir.left < 0:
		return nil, tooComplex("the workbook's zip directory is larger than %d MB", maxDirectory>>20)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, damaged("the file is not a workbook, or its end is missing").WithCause(err)
	case len(z.File) > maxParts:
		return nil, tooComplex("the workbook has %d parts; at most %d are allowed", len(z.File), maxParts)
	}
	a := &archive{src: src, size: size, max: maxInflated,
		parts: make(map[string]*part, len(z.File)), folded: make(map[string]*part, len(z.File))}
	a.readers.New = func() any { return inflate.NewReader(src, 0, 0) }
	var claimed uint64
	for _, f := range z.File {
		if claimed += f.UncompressedSize64; claimed > uint64(maxInflated) || f.UncompressedSize64 > uint64(maxInflated) {
			return nil, tooComplex("the workbook inflates to more than %d MB", maxInflated>>20)
		}
		name := cleanName(f.Name)
		p := &part{name: name, file: f, inflated: int64(f.UncompressedSize64)}
		a.order = append(a.order, p)
		a.parts[name] = p
		a.folded[strings.ToLower(name)] = p
	}
	return a, nil
}

// metered fails once more than left bytes were read.
type metered struct {
	src  io.ReaderAt
	left int64
}

func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	if m.left -= int64(len(p)); m.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return m.src.ReadAt(p, off)
}

// cleanName gives a part's name as relationships would resolve to it: no leading slash,
// no dots, forward slashes.
func cleanName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// find gives a part by name, whatever the case of its letters, or nil.
func (a *archive) find(name string) *part {
	if p, ok := a.parts[name]; ok {
		return p
	}
	return a.folded[strings.ToLower(name)]
}

// resolve gives the name that a relationship's target means, seen from the part base.
func resolve(base, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.Contains(target, "%") {
		if plain, err := unescapePath(target); err == nil {
			target = plain
		}
	}
	if strings.HasPrefix(target, "/") {
		return cleanName(target)
	}
	return cleanName(path.Join(path.Dir(base), target))
}

// targetOf is what resolve reverses: how the part base refers to another one. It is
// relative, as Excel writes it, because there are readers that know nothing else.
func targetOf(base, name string) string {
	from := strings.Split(base, "/")
	to := strings.Split(name, "/")
	from = from[:len(from)-1]
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

// body is a part's inflated bytes, counted against the archive's limit.
type body struct {
	ctx     context.Context
	a       *archive
	p       *part
	inflate *inflate.Reader   // nil for a stored part
	stored  *io.SectionReader // nil for a deflated one
	offset  int64             // inflated bytes before the next one
	sum     hash.Hash32       // nil if not read from the beginning
}

// open starts to read a part, from a checkpoint if there is one.
func (a *archive) open(ctx context.Context, p *part, at *checkpoint) (*body, error) {
	p.locate.Do(func() { p.offset, p.locateErr = p.file.DataOffset() })
	f := p.file
	size := int64(f.CompressedSize64)
	switch {
	case p.locateErr != nil || p.offset < 0 || size < 0 || p.offset+size > a.size:
		return nil, damaged("the workbook's part %q lies outside of the file", clip(p.name)).WithCause(p.locateErr)
	case f.Flags&1 != 0:
		return nil, problem.New(problem.PasswordRequired, "the workbook is a zip archive with a password").
			WithHint("Ask for a copy without a password.")
	}
	b := &body{ctx: ctx, a: a, p: p}
	switch f.Method {
	case zip.Store:
		b.stored = io.NewSectionReader(a.src, p.offset, size)
		if at != nil {
			b.offset = at.offset
			b.stored.Seek(at.offset, io.SeekStart)
		}
	case zip.Deflate:
		b.inflate = a.readers.Get().(*inflate.Reader)
		if at == nil {
			b.inflate.Reset(a.src, p.offset, size)
			break
		}
		window, err := s2.Decode(nil, at.window)
		if err != nil {
			return nil, problem.New(problem.Internal, "a row index is broken").WithCause(err)
		}
		state := at.state
		state.Window = window
		b.inflate.Resume(a.src, p.offset, size, state)
		b.offset = at.offset
	default:
		return nil, problem.New(problem.UnsupportedFormat, "the workbook is compressed by a method that is not supported (%d)", f.Method).
			WithHint("Open it in a spreadsheet program and save it again.")
	}
	if at == nil && f.CRC32 != 0 {
		b.sum = crc32.NewIEEE()
	}
	return b, nil
}

// Read implements io.Reader; its errors are *problem.Error, except io.EOF.
func (b *body) Read(dst []byte) (n int, err error) {
	if err := b.ctx.Err(); err != nil {
		return 0, problem.From(err)
	}
	if b.inflate != nil {
		n, err = b.inflate.Read(dst)
	} else {
		n, err = b.stored.Read(dst)
	}
	b.offset += int64(n)
	if b.sum != nil {
		b.sum.Write(dst[:n])
	}
	if tooMany := b.count(); tooMany != nil {
		return 0, tooMany
	}
	switch {
	case err == io.EOF && b.sum != nil && b.sum.Sum32() != b.p.file.CRC32:
		return n, damaged("the workbook's part %q does not match its checksum", clip(b.p.name))
	case err != nil && err != io.EOF:
		return n, damaged("the workbook's part %q cannot be inflated", clip(b.p.name)).WithCause(err)
	}
	return n, err
}

// count adds what no reader of this part has seen before to the archive's total: what
// a part really inflates to may be more than the directory claims.
func (b *body) count() error {
	for {
		most := b.p.seen.Load()
		if b.offset <= most {
			return nil
		}
		if b.p.seen.CompareAndSwap(most, b.offset) {
			if b.a.seen.Add(b.offset-most) > b.a.max {
				return tooComplex("the workbook inflates to more than %d MB", b.a.max>>20)
			}
			return nil
		}
	}
}

// close gives the decoder back.
func (b *body) close() {
	if b.inflate != nil {
		b.a.readers.Put(b.inflate)
		b.inflate = nil
	}
}

// checkpoint is a place in a part's inflated bytes from which it can be read on.
type checkpoint struct {
	offset int64
	state  inflate.Checkpoint // without its window
	window []byte             // compressed
}

// checkpoint tells how far the part was inflated, which may be ahead of what was read.
func (b *body) checkpoint() (checkpoint, bool) {
	if b.stored != nil {
		return checkpoint{offset: b.offset}, true
	}
	state, ok := b.inflate.Checkpoint()
	if !ok {
		return checkpoint{}, false
	}
	window := s2.Encode(nil, state.Window)
	state.Window = nil
	return checkpoint{offset: state.Offset, state: state, window: append([]byte(nil), window...)}, true
}
