package sheet

import (
	"context"
	"errors"
)

// Book is an open workbook, or a csv file as a workbook of one sheet. It is safe for
// concurrent use and reads from its file as it is asked, so that opening it is cheap.
// Sheets are named by their index in Sheets. Errors are *problem.Error.
type Book interface {
	// Sheets lists the sheets in the order of their tabs.
	Sheets() []Info
	// Rows hands the rows of a range to fn in ascending order, empty rows left out. The
	// cells are those that the file has, in ascending order, and are only valid during
	// the call. It ends early without an error when fn answers Stop.
	Rows(ctx context.Context, sheet int, within Range, fn RowFunc) error
	// Cell gives one cell with what readers of single cells want to know.
	Cell(ctx context.Context, sheet int, at Ref) (Detail, error)
	// Used gives the range that has cells, found by looking at all of them; ok is false
	// for an empty sheet. It is remembered.
	Used(ctx context.Context, sheet int) (used Range, ok bool, err error)
	// Merged lists the merged areas.
	Merged(ctx context.Context, sheet int) ([]Range, error)
	// Text gives a cell's value as a person sees it in the sheet.
	Text(cell Cell) string
	// Size is about how many bytes of memory the book keeps, for caches. It grows as
	// the book is read.
	Size() int64
}

// Info describes a sheet.
type Info struct {
	Name  string
	State State
	Kind  SheetKind
}

// State is a sheet's visibility.
type State string

// The states of a sheet. A very hidden one cannot be shown from Excel's menus.
const (
	Visible    State = "visible"
	Hidden     State = "hidden"
	VeryHidden State = "veryHidden"
)

// SheetKind says what is on a sheet. Only worksheets have cells.
type SheetKind string

// The kinds of sheets.
const (
	Worksheet   SheetKind = "worksheet"
	Chartsheet  SheetKind = "chartsheet"
	Dialogsheet SheetKind = "dialogsheet"
	Macrosheet  SheetKind = "macrosheet"
)

// Cell is a cell as Rows hands it out.
type Cell struct {
	Value
	Col     int32  // from 1
	Style   uint32 // the book's own number of the cell's style, for Text
	Formula bool   // the value is a formula's last computed one
}

// RowFunc takes a row, counted from 1.
type RowFunc func(row int, cells []Cell) error

// Stop, answered by a RowFunc, ends the reading without an error.
var Stop = errors.New("stop")

// Detail is one cell with its formula, its format and its text.
type Detail struct {
	Value        Value
	Formula      string // without the leading =; "" if there is none
	ArrayRange   Range  // the cells that an array formula fills; zero if it is none
	NumberFormat string // the format code: General, 0.00, yyyy-mm-dd
	Text         string // what a person sees
	Merged       Range  // the merged area that the cell lies in; zero if none
	Style        *Style // how it looks; nil if it is all default
}

// Style is how a cell looks, as far as it is not the default. Sizes are points,
// colours are #RRGGBB.
type Style struct {
	Bold, Italic, Underline, Strike bool
	Font                            string
	FontSize                        float64
	Color, Fill                     string
	Horizontal, Vertical            string
	Wrap                            bool
}
