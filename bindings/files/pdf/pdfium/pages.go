package pdfium

import (
	"encoding/binary"
	"fmt"
)

// Save writes the whole document anew, encrypted as it was.
func (d *Document) Save() (data []byte, err error) {
	defer guard(&err)
	d.leavePage()
	w := d.m.PDFiumExt_OpenFileWriter()
	if w == 0 {
		return nil, ErrBroken
	}
	defer func() {
		if d.m.broken == nil {
			d.m.PDFiumExt_CloseFileWriter(w)
		}
	}()
	if d.m.PDFiumExt_SaveAsCopy(d.doc, w) == 0 {
		return nil, fmt.Errorf("%w: it cannot be written", ErrBroken)
	}
	n := d.m.PDFiumExt_GetFileWriterSize(w)
	buf := d.m.alloc(n)
	defer d.m.drop(buf)
	n = min(n, d.m.PDFiumExt_GetFileWriterData(w, buf, n))
	return append([]byte(nil), d.m.bytes(buf, n)...), nil
}

// Import copies pages of another file, by their indexes in it, before the page at. A nil
// list is all pages. Forms do not come along, their appearances do. Errors are those of
// Open, and ErrPage for a page that is not there.
func (d *Document) Import(data []byte, password string, pages []int, at int) (err error) {
	defer guard(&err)
	doc, bytes, err := d.m.open(data, password)
	if err != nil {
		return err
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDF_CloseDocument(doc)
			d.m.free(bytes)
		}
	}()
	return d.importPages(doc, pages, at)
}

func (d *Document) importPages(from ptr, pages []int, at int) error {
	d.leavePage()
	list := d.m.putInts(pages)
	defer d.m.drop(list)
	if d.m.FPDF_ImportPagesByIndex(d.doc, from, list, len(pages), at) == 0 {
		return ErrPage
	}
	return nil
}

// Extract gives a new file of some of the pages. It is what splitting a document takes:
// the document is parsed once.
func (d *Document) Extract(pages []int) (data []byte, err error) {
	defer guard(&err)
	part := &Document{m: d.m, doc: d.m.FPDF_CreateNewDocument()}
	if part.doc == 0 {
		return nil, ErrBroken
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDF_CloseDocument(part.doc)
		}
	}()
	if err := part.importPages(d.doc, pages, 0); err != nil {
		return nil, err
	}
	d.m.FPDF_CopyViewerPreferences(part.doc, d.doc)
	return part.Save()
}

// NewPage adds an empty page of a size in points before the page at.
func (d *Document) NewPage(at int, width, height float64) (err error) {
	defer guard(&err)
	page := d.m.FPDFPage_New(d.doc, at, width, height)
	if page == 0 {
		return ErrPage
	}
	d.m.FPDF_ClosePage(page)
	return nil
}

// DeletePage removes a page. A document must keep one.
func (d *Document) DeletePage(page int) (err error) {
	defer guard(&err)
	n := d.m.FPDF_GetPageCount(d.doc)
	if page < 0 || page >= n || n == 1 {
		return ErrPage
	}
	d.leavePage()
	d.m.FPDFPage_Delete(d.doc, page)
	return nil
}

// MovePages puts pages, by their indexes and in the order given, so that the first of them
// becomes the page to.
func (d *Document) MovePages(pages []int, to int) (err error) {
	defer guard(&err)
	d.leavePage()
	list := d.m.putInts(pages)
	defer d.m.drop(list)
	if d.m.FPDF_MovePages(d.doc, list, len(pages), to) == 0 {
		return ErrPage
	}
	return nil
}

// Rotation is by how many degrees a page is shown turned clockwise: 0, 90, 180 or 270.
func (d *Document) Rotation(page int) (degrees int, err error) {
	defer guard(&err)
	if page < 0 || page >= d.m.FPDF_GetPageCount(d.doc) {
		return 0, ErrPage
	}
	return 90 * (d.m.EPDF_GetPageRotationByIndex(d.doc, page) & 3), nil
}

// SetRotation sets it.
func (d *Document) SetRotation(page, degrees int) (err error) {
	defer guard(&err)
	p, err := d.enterPage(page)
	if err != nil {
		return err
	}
	d.m.FPDFPage_SetRotation(p, (degrees/90%4+4)%4)
	d.leavePage()
	return nil
}

// Decrypt takes the encryption away: what Save writes can be read without a password.
func (d *Document) Decrypt() (err error) {
	defer guard(&err)
	d.m.EPDF_RemoveEncryption(d.doc)
	return nil
}

func (m *module) putInts(list []int) ptr {
	if list == nil {
		return 0
	}
	data := make([]byte, 4*len(list))
	for i, v := range list {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(v))
	}
	return m.put(data)
}

// loadedPage is the page that was looked at last, which stays parsed.
type loadedPage struct {
	page, text ptr
	index      int
}

// enterPage gives a page, parsed.
func (d *Document) enterPage(index int) (ptr, error) {
	if d.page.page != 0 && d.page.index == index {
		return d.page.page, nil
	}
	d.leavePage()
	page := d.m.FPDF_LoadPage(d.doc, index)
	if page == 0 {
		return 0, ErrPage
	}
	d.page = loadedPage{page: page, index: index}
	if d.form != 0 {
		d.m.FORM_OnAfterLoadPage(page, d.form)
	}
	return page, nil
}

// enterText gives a page's text.
func (d *Document) enterText(index int) (ptr, error) {
	page, err := d.enterPage(index)
	if err != nil {
		return 0, err
	}
	if d.page.text == 0 {
		if d.page.text = d.m.FPDFText_LoadPage(page); d.page.text == 0 {
			return 0, ErrPage
		}
	}
	return d.page.text, nil
}

// leavePage forgets the parsed page, which a change of the document's pages makes stale.
func (d *Document) leavePage() {
	if d.page.page == 0 {
		return
	}
	if d.page.text != 0 {
		d.m.FPDFText_ClosePage(d.page.text)
	}
	if d.form != 0 {
		d.m.FORM_OnBeforeClosePage(d.page.page, d.form)
	}
	d.m.FPDF_ClosePage(d.page.page)
	d.page = loadedPage{}
}
