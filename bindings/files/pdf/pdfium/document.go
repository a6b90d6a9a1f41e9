package pdfium

import (
	"bytes"
	"errors"
	"fmt"
)

// What Open answers when it cannot open a document.
var (
	ErrFormat   = errors.New("pdfium: it is no PDF, or damaged beyond repair")
	ErrPassword = errors.New("pdfium: the password is missing or wrong")
	ErrSecurity = errors.New("pdfium: it is encrypted in a way that PDFium does not know")
	ErrPage     = errors.New("pdfium: the page cannot be read")
	ErrField    = errors.New("pdfium: the form field does not take the value")
)

// Document is an open document in an instance of its own. It is not safe for concurrent
// use. Pages are counted from 0. After a method has answered ErrBroken, all do.
type Document struct {
	m    *module
	doc  ptr
	data ptr // the file's bytes, which PDFium reads as long as the document is open
	size int // how many
	form ptr // the forms' environment, once it is needed
	info ptr
	page loadedPage
}

// Open opens a document. The password may be the user's or the owner's; "" is none.
// Errors are ErrFormat, ErrPassword, ErrSecurity and ErrBroken.
func (l *Library) Open(data []byte, password string) (*Document, error) {
	m, err := l.take()
	if err != nil {
		return nil, err
	}
	d := &Document{m: m}
	if err := d.load(data, password); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// New makes a document that has no pages.
func (l *Library) New() (d *Document, err error) {
	m, err := l.take()
	if err != nil {
		return nil, err
	}
	defer guard(&err)
	d = &Document{m: m}
	if d.doc = m.FPDF_CreateNewDocument(); d.doc == 0 {
		d.Close()
		return nil, ErrBroken
	}
	return d, nil
}

func (d *Document) load(data []byte, password string) (err error) {
	defer guard(&err)
	d.size = len(data)
	d.doc, d.data, err = d.m.open(data, password)
	return err
}

// Bytes gives the file as it was opened, whatever was changed since. A new document has none.
func (d *Document) Bytes() (data []byte, err error) {
	defer guard(&err)
	if d.data == 0 {
		return nil, nil
	}
	return bytes.Clone(d.m.bytes(d.data, d.size)), nil
}

// open opens a document in the instance.
func (m *module) open(data []byte, password string) (doc, at ptr, err error) {
	at = m.put(data)
	secret := ptr(0)
	if password != "" {
		secret = m.putString(password)
		defer m.drop(secret)
	}
	if doc = m.FPDF_LoadMemDocument(at, len(data), secret); doc != 0 {
		return doc, at, nil
	}
	number := m.FPDF_GetLastError()
	m.drop(at)
	switch number {
	case 4:
		return 0, 0, ErrPassword
	case 5:
		return 0, 0, ErrSecurity
	}
	return 0, 0, fmt.Errorf("%w (%d)", ErrFormat, number)
}

// Close releases all of the document's memory.
func (d *Document) Close() { d.m.close() }

// Size is how much memory the document takes, in bytes.
func (d *Document) Size() int64 { return d.m.size() }

// Broken is whether PDFium has given up on the document.
func (d *Document) Broken() bool { return d.m.broken != nil }

// Pages is how many pages there are.
func (d *Document) Pages() (n int, err error) {
	defer guard(&err)
	return max(0, d.m.FPDF_GetPageCount(d.doc)), nil
}

// Repaired is whether the table by which objects are found was damaged, so that PDFium
// had to look through the whole file for them.
func (d *Document) Repaired() (yes bool, err error) {
	defer guard(&err)
	return d.m.FPDF_DocumentHasValidCrossReferenceTable(d.doc) == 0, nil
}

// Version is that of the file's format times ten: 17 for PDF 1.7; 0 if it does not say.
func (d *Document) Version() (version int, err error) {
	defer guard(&err)
	out := d.m.alloc(4)
	defer d.m.drop(out)
	if d.m.FPDF_GetFileVersion(d.doc, out) == 0 {
		return 0, nil
	}
	return d.m.ints(out, 1)[0], nil
}

// Encrypted is whether the file is encrypted, also when it opened without a password.
func (d *Document) Encrypted() (yes bool, err error) {
	defer guard(&err)
	return d.m.FPDF_GetSecurityHandlerRevision(d.doc) > 0, nil
}

// Permissions are the bits of the encryption's /P; all are set where there is none.
func (d *Document) Permissions() (bits uint32, err error) {
	defer guard(&err)
	return uint32(d.m.FPDF_GetDocPermissions(d.doc)), nil
}

// Metadata gives an entry of the document's information: Title, Author, Subject,
// Keywords, Creator, Producer, CreationDate, ModDate. "" if there is none.
func (d *Document) Metadata(key string) (value string, err error) {
	defer guard(&err)
	name := d.m.putString(key)
	defer d.m.drop(name)
	return d.m.wideOf(func(buf ptr, size int) int { return d.m.FPDF_GetMetaText(d.doc, name, buf, size) }), nil
}

// PageSize is a page's width and height in points as a person sees it: its crop box,
// rotated.
func (d *Document) PageSize(page int) (width, height float64, err error) {
	defer guard(&err)
	out := d.m.alloc(8)
	defer d.m.drop(out)
	if d.m.FPDF_GetPageSizeByIndexF(d.doc, page, out) == 0 {
		return 0, 0, ErrPage
	}
	size := d.m.floats(out, 2)
	return size[0], size[1], nil
}

// PageLabel is what a viewer calls the page, such as "iv"; "" if the document does not say.
func (d *Document) PageLabel(page int) (label string, err error) {
	defer guard(&err)
	return d.m.wideOf(func(buf ptr, size int) int { return d.m.FPDF_GetPageLabel(d.doc, page, buf, size) }), nil
}

// FormType is which kind of form a document has.
type FormType int

// The kinds of forms.
const (
	NoForm     FormType = iota
	AcroForm            // the fields of PDF itself
	XFAFull             // XML alone, which PDFium does not show
	XFAForeign          // both
)

// FormType tells which kind of form there is.
func (d *Document) FormType() (kind FormType, err error) {
	defer guard(&err)
	return FormType(d.m.FPDF_GetFormType(d.doc)), nil
}

// Signatures is how many signatures the document carries.
func (d *Document) Signatures() (n int, err error) {
	defer guard(&err)
	return max(0, d.m.FPDF_GetSignatureCount(d.doc)), nil
}

// Tagged is whether it says of its content what it is, as accessible documents do.
func (d *Document) Tagged() (yes bool, err error) {
	defer guard(&err)
	return d.m.FPDFCatalog_IsTagged(d.doc) != 0, nil
}

// Attachments is how many files are attached.
func (d *Document) Attachments() (n int, err error) {
	defer guard(&err)
	return max(0, d.m.FPDFDoc_GetAttachmentCount(d.doc)), nil
}
