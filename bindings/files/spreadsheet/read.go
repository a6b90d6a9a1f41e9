package spreadsheet

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type fileIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
}

type sheetOut struct {
	Name        string `json:"name" doc:"The sheet's name"`
	RowCount    int    `json:"row_count" doc:"The last row that has a value; 0 if there is none"`
	ColumnCount int    `json:"column_count" doc:"The last column that has a value, counted from 1"`
	State       string `json:"state" enum:"visible,hidden,veryHidden" doc:"A very hidden sheet cannot be shown from Excel's menus"`
	Kind        string `json:"kind" enum:"worksheet,chartsheet,dialogsheet,macrosheet" doc:"Only worksheets and macro sheets have cells"`
}

type listSheetsOut struct {
	Sheets []sheetOut `json:"sheets" op:"result" doc:"In the order of the tabs"`
}

func listSheets(ctx context.Context, env *op.Env, in fileIn) (out listSheetsOut, err error) {
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		for i, info := range book.Sheets() {
			s := sheetOut{Name: info.Name, State: string(info.State), Kind: string(info.Kind)}
			if info.Kind == sheet.Worksheet || info.Kind == sheet.Macrosheet {
				used, _, err := book.Used(ctx, i)
				if err != nil {
					return named(err, file.Name)
				}
				s.RowCount, s.ColumnCount = used.MaxRow, used.MaxCol
			}
			out.Sheets = append(out.Sheets, s)
		}
		return nil
	})
	return out, err
}

type readRangeIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Range  string `json:"range,omitempty" doc:"Such as A1:D50, B2, A:C or 1:5. Omit for all cells in use."`
}

type readRangeOut struct {
	Values [][]any `json:"values" op:"result" doc:"Rows of equal length: numbers, strings, booleans, null for an empty cell, ISO 8601 strings for dates, {error} for errors such as #DIV/0!"`
}

// maxCells is how many cells one answer may have.
const maxCells = 500_000

func readRange(ctx context.Context, env *op.Env, in readRangeIn) (out readRangeOut, err error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return out, err
	}
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		rows, fits, err := sheet.ReadRange(ctx, book, i, within, maxCells, plain)
		if err != nil {
			return named(err, file.Name)
		}
		if !fits {
			return tooManyCells(in.Range)
		}
		out.Values = rows
		return nil
	})
	return out, err
}

func tooManyCells(asked string) error {
	what := "the range " + asked
	if asked == "" {
		what = "the sheet"
	}
	return problem.New(problem.ResultTooLarge, "%s has more than %d cells", what, maxCells).
		WithHint("Read it by pages, with readRows and its next, or in parts such as \"A1:T20000\" and then \"A20001:T40000\". query and getSheetSummary answer many questions without reading all.")
}

// plain gives a value as results carry it.
func plain(v sheet.Value) any {
	if v.Kind == sheet.Error {
		return op.Object{{Name: "error", Value: v.Text}}
	}
	return v.Any()
}

type cellIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Cell   string `json:"cell" doc:"Such as B2"`
}

type formatOut struct {
	NumberFormat  string  `json:"number_format" doc:"Format code, such as General, 0.00 or yyyy-mm-dd"`
	Bold          bool    `json:"bold,omitempty"`
	Italic        bool    `json:"italic,omitempty"`
	Underline     bool    `json:"underline,omitempty"`
	Strike        bool    `json:"strike,omitempty"`
	Font          string  `json:"font,omitempty" doc:"If it is not the workbook's default"`
	Size          float64 `json:"size,omitempty" doc:"In points, if it is not the default"`
	Color         string  `json:"color,omitempty" doc:"#RRGGBB, or theme:N"`
	Fill          string  `json:"fill,omitempty" doc:"#RRGGBB, or theme:N"`
	Align         string  `json:"align,omitempty"`
	VerticalAlign string  `json:"vertical_align,omitempty"`
	Wrap          bool    `json:"wrap,omitempty"`
}

type readCellOut struct {
	Value   any       `json:"value" doc:"As readRange gives it"`
	Text    string    `json:"text" doc:"What a person sees in the cell"`
	Formula string    `json:"formula,omitempty" doc:"Without the leading =; the value is its last computed result"`
	Type    string    `json:"type" enum:"empty,number,string,boolean,date,error" doc:"What the value is"`
	Format  formatOut `json:"format" doc:"How the cell looks"`
	Merged  string    `json:"merged,omitempty" doc:"The merged area that the cell lies in"`
}

func readCell(ctx context.Context, env *op.Env, in cellIn) (out readCellOut, err error) {
	at, err := sheet.ParseRef(in.Cell)
	if err != nil {
		return out, err
	}
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		d, err := book.Cell(ctx, i, at)
		if err != nil {
			return named(err, file.Name)
		}
		out = readCellOut{Value: plain(d.Value), Text: d.Text, Formula: d.Formula, Type: d.Value.Kind.String(), Format: formatOut{NumberFormat: d.NumberFormat}}
		if d.Merged.MinRow > 0 {
			out.Merged = d.Merged.String()
		}
		if s := d.Style; s != nil {
			out.Format = formatOut{d.NumberFormat, s.Bold, s.Italic, s.Underline, s.Strike, s.Font, s.FontSize, s.Color, s.Fill, s.Horizontal, s.Vertical, s.Wrap}
		}
		return nil
	})
	return out, err
}
