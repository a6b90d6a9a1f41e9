package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Options bound what is read.
type Options struct {
	Password string
	MaxPages int   // Defaults to 5,000.
	MaxBytes int64 // of one object stream, inflated, and of all objects' streams. Defaults to 256 MB.
}

// Open reads a document. It keeps parts of data, which must not change any more.
func Open(ctx context.Context, data []byte, opts Options) (*Document, error) {
	if opts.MaxPages <= 0 {
		opts.MaxPages = 5000
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = 256 << 20
	}
	pdf, err := read(ctx, bytes.NewReader(data), opts)
	if err != nil {
		return nil, readError(ctx, err)
	}
	if pdf.Encrypt == nil && directEncryption.Match(data) {
		return nil, damaged(errors.New("the encryption dictionary is in the trailer"))
	}
	d := &Document{
		store: newStore(len(pdf.Table)), version: "1.7",
	}
	d.last = pdf.MaxObjNr
	for number, entry := range pdf.Table {
		if entry != nil && !entry.Free && entry.Object != nil {
			d.objects[number] = entry.Object
			d.last = max(d.last, number)
		}
	}
	if v := pdf.HeaderVersion; v != nil && *v == model.V20 || pdf.RootVersion != nil && *pdf.RootVersion == model.V20 {
		d.version = "2.0"
	}
	if pdf.Root != nil {
		d.Catalog = d.takeOut(*pdf.Root)
	}
	if d.Catalog == nil {
		return nil, damaged(errors.New("no catalog"))
	}
	if pdf.Info != nil {
		d.Info = d.takeOut(*pdf.Info)
	}
	if len(pdf.ID) > 0 {
		d.id = d.Get(pdf.ID[0])
	}
	if pdf.Encrypt != nil && pdf.EncKey != nil {
		d.lock = lockOf(pdf, d.Dict(*pdf.Encrypt))
		delete(d.objects, pdf.Encrypt.ObjectNumber.Value())
	}
	if err := d.readPages(opts.MaxPages); err != nil {
		return nil, err
	}
	return d, ctx.Err()
}

func read(ctx context.Context, src io.ReadSeeker, opts Options) (pdf *model.Context, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("pdfcpu panicked: %v", p)
		}
	}()
	limits := model.DefaultResourceLimits()
	limits.MaxStreamBytes, limits.MaxDecodeBytes = opts.MaxBytes, opts.MaxBytes
	limits.MaxObjectCount, limits.MaxXRefEntries = maxObjects, maxObjects
	limits.MaxObjectStreamCount = maxObjects
	// Written out, because NewDefaultConfiguration looks for a folder of the user's.
	return pdfcpu.ReadWithContext(ctx, src, &model.Configuration{
		Reader15: true, ValidationMode: model.ValidationRelaxed, Eol: types.EolLF, Offline: true,
		UserPW: opts.Password, OwnerPW: opts.Password, Cmd: model.LISTINFO, Limits: limits,
	})
}

// maxObjects is how many objects a document may have.
const maxObjects = 2_000_000

// takeOut gives a dictionary that is not among the objects any more.
func (d *Document) takeOut(r types.IndirectRef) types.Dict {
	dict, _ := d.Get(r).(types.Dict)
	delete(d.objects, r.ObjectNumber.Value())
	return dict
}

// What Open answers, wrapped, beside ctx's error.
var (
	ErrPassword    = errors.New("document: no password that opens it")
	ErrUnsupported = errors.New("document: an encryption that is not supported")
	ErrDamaged     = errors.New("document: it is damaged, or not a PDF")
	ErrPages       = errors.New("document: too many pages")
)

func readError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrOwnerPasswordRequired):
		return ErrPassword
	case errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature):
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return damaged(err)
}

func damaged(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }

// directEncryption finds an encryption dictionary within a trailer, which pdfcpu reads over.
var directEncryption = regexp.MustCompile(`/Encrypt\s*<<`)
