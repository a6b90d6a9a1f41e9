// Package xlsx reads xlsx and xlsm workbooks as streams: a cell is parsed when somebody
// asks for its row, and nothing of a sheet is kept but an index of places in its
// compressed bytes from which reading can go on. The index grows as rows are passed, so
// that the second look at a late row costs a thousandth of the first.
//
// Files may be hostile. The zip directory is read first, what inflates is counted
// against a limit, claims of dimensions and counts are not believed, and what is not
// well-formed ends in damaged_file.
//
// Edits are laid over a workbook and written by Rewrite in one pass: parts that they do
// not concern are copied as they are, compressed, and what is not understood stays. Rows
// and columns that move (editstructure.go) are pieces of the old ones (layout.go); all
// that refers to cells follows: formulas by one scanner of references (refs.go, shift.go),
// everything else by the names of its elements (follow.go). With shows edits without
// writing them. No formula is computed here.
//
// Imports sheet, numfmt, inflate and problem. Start reading at Open, then rows.go; for
// writing at Edits, then rewrite.go.
package xlsx

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// Options bound what a workbook may cost.
type Options struct {
	// MaxInflated is how many bytes all parts together may inflate to. Defaults to 512 MB.
	MaxInflated int64
	// MaxStrings is how many bytes of memory the shared strings may take. Defaults to 160 MB.
	MaxStrings int64
}

const (
	maxSheets = 10_000
	maxNames  = 100_000
)

// Workbook is an open workbook. It is safe for concurrent use, and reads from the file
// that it was opened with as long as it is used.
type Workbook struct {
	archive  *archive
	sheets   []*worksheet
	main     *part // the workbook part
	date1904 bool
	names    []DefinedName
	strings  *sharedStrings
	styles   styleTable

	calcChain *part // the order of calculation; nil if there is none

	streams sync.Pool // of *[]byte, windows for streams
	cursor  cursor
}

var _ sheet.Book = (*Workbook)(nil)

// DefinedName is a name that the workbook gives to a range or a formula.
type DefinedName struct {
	Name     string
	RefersTo string // a formula without the leading =
	Sheet    int    // index of the sheet that it belongs to, or -1
	Hidden   bool
}

// Open reads a workbook's directory and its list of sheets. Errors: damaged_file,
// unsupported_format (.xls, .xlsb, .ods and others), password_required, too_complex.
func Open(ctx context.Context, src io.ReaderAt, size int64, opt Options) (*Workbook, error) {
	if opt.MaxInflated <= 0 {
		opt.MaxInflated = 512 << 20
	}
	if opt.MaxStrings <= 0 {
		opt.MaxStrings = 160 << 20
	}
	if err := checkKind(src, size); err != nil {
		return nil, err
	}
	a, err := openArchive(src, size, opt.MaxInflated)
	if err != nil {
		return nil, err
	}
	wb := &Workbook{archive: a}
	wb.streams.New = func() any { b := make([]byte, 128<<10); return &b }
	main, err := wb.mainPart(ctx)
	if err != nil {
		return nil, err
	}
	rels, err := wb.relationships(ctx, main.name)
	if err != nil {
		return nil, err
	}
	if err := wb.readWorkbook(ctx, main, rels); err != nil {
		return nil, err
	}
	wb.strings = &sharedStrings{wb: wb, part: wb.partOf(rels, main.name, "sharedStrings", "sharedStrings.xml"), max: opt.MaxStrings}
	wb.main = main
	for _, rel := range rels {
		if rel.kind == "calcChain" {
			wb.calcChain = wb.archive.find(resolve(main.name, rel.target))
		}
	}
	wb.styles.part = wb.partOf(rels, main.name, "styles", "styles.xml")
	return wb, nil
}

// Sheets lists the sheets in the order of their tabs.
func (wb *Workbook) Sheets() []sheet.Info {
	list := make([]sheet.Info, len(wb.sheets))
	for i, s := range wb.sheets {
		list[i] = s.info
	}
	return list
}

// Names lists the defined names, those that Excel hides included.
func (wb *Workbook) Names() []DefinedName { return wb.names }

// Date1904 tells whether serial numbers count from 1904. Values are given in the 1900
// system either way.
func (wb *Workbook) Date1904() bool { return wb.date1904 }

// Size is about how many bytes of memory the workbook keeps: the shared strings, the
// styles and the row indexes, as far as they were needed up to now.
func (wb *Workbook) Size() int64 {
	size := int64(64<<10) + int64(len(wb.archive.parts))*400 + wb.strings.size() + wb.styles.size()
	for _, s := range wb.sheets {
		size += s.index.size()
	}
	return size + wb.cursor.size()
}

// worksheetOf gives a sheet that has cells.
func (wb *Workbook) worksheetOf(i int) (*worksheet, error) {
	if i < 0 || i >= len(wb.sheets) {
		return nil, problem.New(problem.NotFound, "there is no sheet %d; the workbook has %d", i, len(wb.sheets))
	}
	s := wb.sheets[i]
	switch {
	case s.info.Kind == sheet.Chartsheet || s.info.Kind == sheet.Dialogsheet:
		return nil, problem.New(problem.UnsupportedFormat, "the sheet %q is a %s and has no cells", clip(s.info.Name), s.info.Kind).
			WithHint("Choose a worksheet; listSheets tells which they are.")
	case s.part == nil:
		return nil, damaged("the part of the workbook that holds the sheet %q is missing", clip(s.info.Name))
	}
	return s, nil
}

// scan opens a part as XML, runs fn, and closes it.
func (wb *Workbook) scan(ctx context.Context, p *part, fn func(*xmlScanner) error) error {
	b, err := wb.archive.open(ctx, p, nil)
	if err != nil {
		return err
	}
	defer b.close()
	src, _, err := asUTF8(b)
	if err != nil {
		return err
	}
	return fn(&xmlScanner{stream: newStream(src, make([]byte, 16<<10))})
}

// readWorkbook reads the workbook part: its sheets, its names and the date system.
func (wb *Workbook) readWorkbook(ctx context.Context, main *part, rels map[string]relationship) error {
	return wb.scan(ctx, main, func(x *xmlScanner) error {
		for {
			if err := x.next(); err != nil {
				return err
			}
			switch {
			case x.kind == endOfPart:
				if len(wb.sheets) == 0 {
					return damaged("the workbook lists no sheets")
				}
				return nil
			case x.kind != startTag:
			case x.depth == 2 && string(x.name) == "workbookPr":
				wb.date1904 = x.flag("date1904", false)
			case x.depth == 3 && string(x.name) == "sheet":
				if len(wb.sheets) == maxSheets {
					return tooComplex("the workbook has more than %d sheets", maxSheets)
				}
				wb.sheets = append(wb.sheets, wb.newSheet(x, main.name, rels))
			case x.depth == 3 && string(x.name) == "definedName":
				if len(wb.names) == maxNames {
					return tooComplex("the workbook has more than %d defined names", maxNames)
				}
				name := DefinedName{Name: x.get("name"), Sheet: x.number("localSheetId", -1), Hidden: x.flag("hidden", false)}
				text, err := x.textContent()
				if err != nil {
					return err
				}
				name.RefersTo = text
				wb.names = append(wb.names, name)
			}
		}
	})
}

func (wb *Workbook) newSheet(x *xmlScanner, base string, rels map[string]relationship) *worksheet {
	s := &worksheet{wb: wb, info: sheet.Info{Name: string(unescapeX([]byte(x.get("name")))), State: sheet.Visible, Kind: sheet.Worksheet}}
	switch x.get("state") {
	case "hidden":
		s.info.State = sheet.Hidden
	case "veryHidden":
		s.info.State = sheet.VeryHidden
	}
	if rel, ok := rels[x.attr("id", true)]; ok {
		s.part = wb.archive.find(resolve(base, rel.target))
		switch rel.kind {
		case "chartsheet":
			s.info.Kind = sheet.Chartsheet
		case "dialogsheet":
			s.info.Kind = sheet.Dialogsheet
		case "xlMacrosheet", "xlIntlMacrosheet":
			s.info.Kind = sheet.Macrosheet
		}
	}
	return s
}

// textContent gives the text of the element whose start tag was read last, up to its end.
func (x *xmlScanner) textContent() (string, error) {
	var text strings.Builder
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return "", err
		}
		switch {
		case x.kind == charData:
			text.Write(x.text)
		case x.kind == endOfPart || x.kind == endTag && x.depth < depth:
			return text.String(), nil
		}
	}
}

// Inflated is how many bytes the worksheets inflate to, as the file claims: what a
// library that keeps all of a workbook in memory takes grows with it.
func (wb *Workbook) Inflated() (size int64) {
	for _, s := range wb.sheets {
		if s.part != nil {
			size += s.part.inflated
		}
	}
	return size
}
