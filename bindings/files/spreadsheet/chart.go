package spreadsheet

import (
	"cmp"
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type chartSeries struct {
	Values     string `json:"values" doc:"Range of the values, such as B2:B13 or 'Other sheet'!B2:B13: one row or one column"`
	Name       string `json:"name,omitempty" doc:"What the legend says: a text, or with = a cell, such as =B1"`
	Categories string `json:"categories,omitempty" doc:"Range of what the values are called, or of the x values of a scatter chart"`
}

type addChartIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet that the chart lies on"`
	Type   string `json:"type" enum:"column,bar,line,area,pie,scatter" doc:"Columns stand, bars lie"`
	Chart  struct {
		Data    string        `json:"data,omitempty" doc:"A range such as A1:C13 whose first row has the names of the series and whose first column has the categories: each other column is a series"`
		Series  []chartSeries `json:"series,omitempty" doc:"Instead of data: the series one by one"`
		Values  string        `json:"values,omitempty" doc:"Instead of series, if there is one: the range of its values"`
		Name    string        `json:"name,omitempty" doc:"With values: what the legend says"`
		Cats    string        `json:"categories,omitempty" doc:"Range of what the values are called, of values and of each of series that has none of its own"`
		Title   string        `json:"title,omitempty"`
		XTitle  string        `json:"x_title,omitempty" doc:"What the axis of the categories says"`
		YTitle  string        `json:"y_title,omitempty" doc:"What the axis of the values says"`
		Anchor  string        `json:"anchor,omitempty" doc:"The cell at its upper left corner. Defaults to two columns behind the cells in use, below the charts that are there."`
		Width   int           `json:"width,omitempty" min:"50" max:"4000" doc:"In pixels. Defaults to 600."`
		Height  int           `json:"height,omitempty" min:"50" max:"4000" doc:"In pixels. Defaults to 360."`
		Stacked bool          `json:"stacked,omitempty" doc:"Values lie on top of each other: column, bar, line and area"`
		Legend  string        `json:"legend,omitempty" enum:"right,bottom,top,left,none" doc:"Defaults to right, or none for a single series that is no pie"`
	} `op:"options"`
}

type addChartOut struct {
	Anchor string `json:"anchor" doc:"The cell at its upper left corner"`
	Series int    `json:"series" doc:"How many series it shows"`
}

// maxSeries is how many series Excel shows in one chart.
const maxSeries = 255

func addChart(ctx context.Context, env *op.Env, in addChartIn) (out addChartOut, err error) {
	want := in.Chart
	c := xlsx.Chart{Kind: in.Type, Title: cut(want.Title, 255), XTitle: cut(want.XTitle, 255), YTitle: cut(want.YTitle, 255),
		Stacked: want.Stacked, Legend: want.Legend, Width: want.Width, Height: want.Height}
	if c.Width == 0 {
		c.Width = 600
	}
	if c.Height == 0 {
		c.Height = 360
	}
	if want.Anchor != "" {
		if c.At, err = sheet.ParseRef(want.Anchor); err != nil {
			return out, argument(err, "anchor")
		}
		if c.At.Row > sheet.MaxRow {
			return out, problem.New(problem.InvalidArgument, "anchor: a sheet ends at XFD1048576").With("argument", "anchor")
		}
	}
	series, ways := want.Series, 0
	if want.Values != "" {
		series = []chartSeries{{Values: want.Values, Name: want.Name}}
	}
	for _, given := range []bool{want.Data != "", len(want.Series) > 0, want.Values != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return out, problem.New(problem.InvalidArgument, "a chart needs either data, series or values").
			WithHint("Such as { data: \"A1:C13\" }, or { series: [{ values: \"B2:B13\", categories: \"A2:A13\", name: \"=B1\" }] }.").With("argument", "data")
	}
	switch {
	case want.Name != "" && want.Values == "":
		return out, problem.New(problem.InvalidArgument, "name: it is that of values; each of series has its own, and data has names in its first row").With("argument", "name")
	case want.Cats != "" && want.Data != "":
		return out, problem.New(problem.InvalidArgument, "categories: those of data are its first column").With("argument", "categories")
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, i, err := d.decorate(ctx, in.Sheet, "a chart")
		if err != nil {
			return err
		}
		home := wb.Sheets()[i].Name
		if want.Data != "" {
			c.Series, err = seriesOfData(ctx, d, wb, home, want.Data)
		} else {
			c.Series, err = seriesOf(wb, home, series, want.Cats)
		}
		if err != nil {
			return err
		}
		if err := d.lookAtCategories(ctx, c.Series); err != nil {
			return err
		}
		if in.Type == "pie" && len(c.Series) > 1 {
			c.Series = c.Series[:1] // a pie shows one
		}
		if c.Legend == "" && len(c.Series) == 1 && in.Type != "pie" {
			c.Legend = "none"
		}
		if want.Anchor == "" {
			last, err := edits.Ending(ctx, wb, i)
			if err != nil {
				return named(err, d.file.Name)
			}
			c.At.Col = min(last.Used.MaxCol+2, sheet.MaxCol)
			if c.At.Row, err = edits.FreeRow(ctx, wb, i, c.At.Col); err != nil {
				return named(err, d.file.Name)
			}
		}
		if err := edits.AddChart(i, c); err != nil {
			return err
		}
		d.ahead = true
		out = addChartOut{c.At.String(), len(c.Series)}
		return nil
	})
	return out, err
}

// lookAtCategories finds out which categories are numbers or dates: charts show them by
// their format then.
func (d *document) lookAtCategories(ctx context.Context, list []xlsx.Series) error {
	book, err := d.view(ctx)
	if err != nil {
		return err
	}
	type look struct {
		numeric bool
		format  string
	}
	known := map[xlsx.Place]look{}
	for k, s := range list {
		if s.Categories.None() {
			continue
		}
		found, ok := known[s.Categories]
		if !ok {
			i, err := findSheet(book, s.Categories.Sheet)
			if err != nil {
				return err
			}
			var at sheet.Ref
			kind := sheet.Empty
			err = book.Rows(ctx, i, s.Categories.Area, func(row int, cells []sheet.Cell) error {
				if len(cells) == 0 || cells[0].IsEmpty() {
					return nil
				}
				at, kind = sheet.Ref{Col: int(cells[0].Col), Row: row}, cells[0].Kind
				return sheet.Stop
			})
			if err == nil && kind == sheet.Date {
				var detail sheet.Detail
				detail, err = book.Cell(ctx, i, at)
				found.format = detail.NumberFormat
			}
			if err != nil {
				return named(err, d.file.Name)
			}
			found.numeric = kind == sheet.Number || kind == sheet.Date
			known[s.Categories] = found
		}
		list[k].Numeric, list[k].Format = found.numeric, found.format
	}
	return nil
}

// place reads a range that a chart shows. It may name another sheet.
func place(wb *xlsx.Workbook, home, text, what string) (xlsx.Place, error) {
	name, area, err := sheet.ParseQualified(text)
	if err != nil {
		return xlsx.Place{}, argument(err, what)
	}
	if name == "" {
		name = home
	}
	i, err := findSheet(wb, name)
	if err != nil {
		return xlsx.Place{}, argument(err, what)
	}
	if area.MaxRow > sheet.MaxRow || area.MaxCol > sheet.MaxCol {
		return xlsx.Place{}, problem.New(problem.InvalidArgument, "%s: %q has no end; give both corners, such as B2:B13", what, text).With("argument", what)
	}
	return xlsx.Place{Sheet: wb.Sheets()[i].Name, Area: area}, nil
}

func seriesOf(wb *xlsx.Workbook, home string, list []chartSeries, categories string) (made []xlsx.Series, err error) {
	if len(list) > maxSeries {
		return nil, problem.New(problem.InvalidArgument, "series: a chart shows at most %d, got %d", maxSeries, len(list)).With("argument", "series")
	}
	for _, s := range list {
		one := xlsx.Series{Name: cut(s.Name, 255)}
		if one.Values, err = place(wb, home, s.Values, "values"); err != nil {
			return nil, err
		}
		if a := one.Values.Area; a.Rows() > 1 && a.Cols() > 1 {
			return nil, problem.New(problem.InvalidArgument, "values: %s is more than one row or column", a).
				WithHint("Give a series for each, or the whole range as data.").With("argument", "values")
		}
		if called := cmp.Or(s.Categories, categories); called != "" {
			if one.Categories, err = place(wb, home, called, "categories"); err != nil {
				return nil, err
			}
		}
		if len(s.Name) > 1 && s.Name[0] == '=' {
			if one.NameAt, err = place(wb, home, s.Name[1:], "name"); err != nil {
				return nil, err
			}
		}
		made = append(made, one)
	}
	return made, nil
}

// seriesOfData makes a series of each column behind the first one of a range.
func seriesOfData(ctx context.Context, d *document, wb *xlsx.Workbook, home, text string) ([]xlsx.Series, error) {
	name, area, err := sheet.ParseQualified(text)
	if err != nil {
		return nil, argument(err, "data")
	}
	if name == "" {
		name = home
	}
	i, err := findSheet(wb, name)
	if err != nil {
		return nil, argument(err, "data")
	}
	if area, err = d.bounded(ctx, wb, i, area); err != nil {
		return nil, argument(err, "data")
	}
	if area.Rows() < 2 || area.Cols() < 2 {
		return nil, problem.New(problem.InvalidArgument, "data: %s needs a row of names, a column of categories, and values", area).With("argument", "data")
	}
	if area.Cols()-1 > maxSeries {
		return nil, problem.New(problem.InvalidArgument, "data: a chart shows at most %d series, and %s has %d", maxSeries, area, area.Cols()-1).With("argument", "data")
	}
	name = wb.Sheets()[i].Name
	column := func(col int) xlsx.Place {
		return xlsx.Place{Sheet: name, Area: sheet.Range{MinCol: col, MinRow: area.MinRow + 1, MaxCol: col, MaxRow: area.MaxRow}}
	}
	var made []xlsx.Series
	for col := area.MinCol + 1; col <= area.MaxCol; col++ {
		head := sheet.Range{MinCol: col, MinRow: area.MinRow, MaxCol: col, MaxRow: area.MinRow}
		made = append(made, xlsx.Series{NameAt: xlsx.Place{Sheet: name, Area: head}, Values: column(col), Categories: column(area.MinCol)})
	}
	return made, nil
}

// argument says of an error about a range which argument it was.
func argument(err error, name string) error {
	e := problem.From(err)
	if e.Code != problem.InvalidArgument && e.Code != problem.NotFound {
		return err
	}
	c := *e.With("argument", name)
	for _, was := range []string{"range: ", "cell: "} {
		if len(c.Message) > len(was) && c.Message[:len(was)] == was {
			c.Message = name + ": " + c.Message[len(was):]
		}
	}
	return &c
}
