package spreadsheet

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
)

type sheetIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
}

type columnOut struct {
	Column   string   `json:"column" doc:"Its letters, such as C"`
	Header   string   `json:"header,omitempty" doc:"From the header row, if one was guessed"`
	Type     string   `json:"type" enum:"empty,number,string,boolean,date,error,mixed" doc:"Of the values below the header: the one kind that nine of ten have, or mixed"`
	Values   int      `json:"values" doc:"Cells with a value below the header"`
	Empty    int      `json:"empty" doc:"Cells without one, within the rows in use"`
	Min      any      `json:"min,omitempty" doc:"Smallest number or first date"`
	Max      any      `json:"max,omitempty" doc:"Largest number or last date"`
	Mean     *float64 `json:"mean,omitempty" doc:"Of the numbers"`
	Distinct int      `json:"distinct,omitempty" doc:"How many different values, if at most 50"`
	Examples []any    `json:"examples,omitempty" doc:"Some of the different values"`
	Formulas int      `json:"formulas,omitempty" doc:"Cells with a formula"`
	Errors   int      `json:"errors,omitempty" doc:"Cells with an error such as #REF!"`
}

type summaryOut struct {
	Sheet         string      `json:"sheet" doc:"The sheet's name"`
	Range         string      `json:"range" doc:"The cells in use; empty if there are none"`
	RowCount      int         `json:"row_count" doc:"The last row that has a value"`
	ColumnCount   int         `json:"column_count" doc:"The last column that has a value"`
	HeaderRow     int         `json:"header_row,omitempty" doc:"The row that was guessed to hold the headers; missing if none looks like it"`
	HeaderGuessed bool        `json:"header_guessed" doc:"Headers are always a guess: true if one was made"`
	Columns       []columnOut `json:"columns" doc:"Up to 60 columns"`
	MoreColumns   int         `json:"more_columns,omitempty" doc:"Columns that are left out"`
	Top           [][]any     `json:"top" doc:"The first rows in use, up to 5"`
	Bottom        [][]any     `json:"bottom" doc:"The last rows, up to 5, none that are in top"`
	Formulas      int         `json:"formulas" doc:"Cells with a formula"`
	Merged        []string    `json:"merged,omitempty" doc:"Merged areas, up to 20"`
	State         string      `json:"state" enum:"visible,hidden,veryHidden"`
}

const (
	summaryColumns = 60
	summaryRows    = 5
	summaryText    = 80 // characters of a text in the summary
	distinctLimit  = 50
	headerSearch   = 10 // rows from the first on that may be the header
)

func getSheetSummary(ctx context.Context, env *op.Env, in sheetIn) (out summaryOut, err error) {
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		info := book.Sheets()[i]
		out = summaryOut{Sheet: info.Name, State: string(info.State), Columns: []columnOut{}, Top: [][]any{}, Bottom: [][]any{}}
		used, ok, err := book.Used(ctx, i)
		if err != nil {
			return named(err, file.Name)
		}
		if !ok {
			return nil
		}
		out.Range, out.RowCount, out.ColumnCount = used.String(), used.MaxRow, used.MaxCol
		merged, err := book.Merged(ctx, i)
		if err != nil {
			return named(err, file.Name)
		}
		for _, area := range merged[:min(len(merged), 20)] {
			out.Merged = append(out.Merged, area.String())
		}
		s := &summary{used: used, columns: make([]columnStats, min(used.Cols(), summaryColumns))}
		out.MoreColumns = used.Cols() - len(s.columns)
		if err := s.read(ctx, book, i); err != nil {
			return named(err, file.Name)
		}
		s.fill(&out)
		return nil
	})
	return out, err
}

// summary gathers what is said of a sheet in one pass.
type summary struct {
	used    sheet.Range
	columns []columnStats
	early   []line // the first rows, from which the header is guessed
	late    []line // the last rows
	header  int    // index in early, -1 if there is none
	decided bool
	formula int
}

type line struct {
	row   int
	cells []sheet.Cell
}

type columnStats struct {
	kinds    [6]int
	min, max float64
	sum      float64
	first    sheet.Value // what min and max are: numbers or dates
	distinct map[sheet.Value]int
	order    []sheet.Value
	many     bool
	formulas int
}

func (s *summary) read(ctx context.Context, book sheet.Book, i int) error {
	err := book.Rows(ctx, i, s.used, func(row int, cells []sheet.Cell) error {
		if !s.decided {
			s.early = append(s.early, line{row, slices.Clone(cells)})
			if len(s.early) > headerSearch {
				s.decide()
			}
			return nil
		}
		s.late = append(s.late, line{row, nil})
		if n := len(s.late); n > summaryRows {
			spare := s.late[0].cells
			copy(s.late, s.late[1:])
			s.late = s.late[:n-1]
			s.late[n-2].cells = append(spare[:0], cells...)
		} else {
			s.late[n-1].cells = slices.Clone(cells)
		}
		s.count(cells)
		return nil
	})
	if err == nil && !s.decided {
		s.decide()
	}
	return err
}

// decide guesses the header among the first rows, and counts those below it.
func (s *summary) decide() {
	s.decided = true
	s.header = guessHeader(s.early, s.used.Cols())
	for k, l := range s.early {
		if k > s.header {
			s.count(l.cells)
		}
	}
}

func (s *summary) count(cells []sheet.Cell) {
	for _, c := range cells {
		if c.Formula {
			s.formula++
		}
		k := int(c.Col) - s.used.MinCol
		if k >= len(s.columns) {
			continue
		}
		s.columns[k].count(c)
	}
}

func (c *columnStats) count(cell sheet.Cell) {
	c.kinds[cell.Kind]++
	if cell.Formula {
		c.formulas++
	}
	if cell.Kind == sheet.Number || cell.Kind == sheet.Date {
		if c.first.IsEmpty() {
			c.first, c.min, c.max = cell.Value, cell.Num, cell.Num
		}
		if cell.Kind == c.first.Kind {
			c.min, c.max = min(c.min, cell.Num), max(c.max, cell.Num)
			c.sum += cell.Num
		}
	}
	if c.many || cell.Kind == sheet.Empty {
		return
	}
	if c.distinct == nil {
		c.distinct = map[sheet.Value]int{}
	}
	if c.distinct[cell.Value]++; c.distinct[cell.Value] == 1 {
		c.order = append(c.order, cell.Value)
		if len(c.order) > distinctLimit {
			c.many, c.distinct = true, nil
		}
	}
}

func (s *summary) fill(out *summaryOut) {
	out.Formulas = s.formula
	var headers []sheet.Cell
	dataRows := s.used.MaxRow - s.used.MinRow + 1
	if s.header >= 0 {
		l := s.early[s.header]
		headers, out.HeaderRow, out.HeaderGuessed = l.cells, l.row, true
		dataRows = s.used.MaxRow - l.row
	}
	for k := range s.columns {
		col := s.columns[k].out(dataRows)
		col.Column = sheet.ColName(s.used.MinCol + k)
		for _, h := range headers {
			if int(h.Col) == s.used.MinCol+k {
				col.Header = clip(headerText(h.Value))
			}
		}
		out.Columns = append(out.Columns, col)
	}
	all := append(slices.Clone(s.early), s.late...)
	for k, l := range all {
		row := s.sample(l)
		if k < summaryRows {
			out.Top = append(out.Top, row)
		} else if k >= len(all)-summaryRows {
			out.Bottom = append(out.Bottom, row)
		}
	}
}

// sample gives a row's values from the first column in use on, texts shortened.
func (s *summary) sample(l line) []any {
	row := make([]any, len(s.columns))
	for _, c := range l.cells {
		if k := int(c.Col) - s.used.MinCol; k < len(row) {
			row[k] = short(c.Value)
		}
	}
	return row
}

func (c *columnStats) out(rows int) columnOut {
	out := columnOut{Formulas: c.formulas, Errors: c.kinds[sheet.Error]}
	most := sheet.Empty
	for kind := sheet.Number; kind <= sheet.Error; kind++ {
		out.Values += c.kinds[kind]
		if c.kinds[kind] > c.kinds[most] || most == sheet.Empty && c.kinds[kind] > 0 {
			most = kind
		}
	}
	out.Empty = max(rows-out.Values, 0)
	switch {
	case out.Values == 0:
		out.Type = "empty"
		return out
	case c.kinds[most]*10 >= out.Values*9:
		out.Type = most.String()
	default:
		out.Type = "mixed"
	}
	if n := c.kinds[c.first.Kind]; !c.first.IsEmpty() && n > 0 {
		low, high := c.first, c.first
		low.Num, high.Num = c.min, c.max
		out.Min, out.Max = low.Any(), high.Any()
		if c.first.Kind == sheet.Number {
			mean := c.sum / float64(n)
			out.Mean = &mean
		}
	}
	if !c.many {
		out.Distinct = len(c.order)
	}
	for _, v := range c.order[:min(len(c.order), 8)] {
		out.Examples = append(out.Examples, short(v))
	}
	return out
}

func short(v sheet.Value) any {
	if v.Kind == sheet.String {
		return clip(v.Text)
	}
	return plain(v)
}

func clip(text string) string {
	n := 0
	for i := range text {
		if n++; n > summaryText {
			return fmt.Sprintf("%s… (%d characters)", text[:i], len([]rune(text)))
		}
	}
	return text
}
