package spreadsheet

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/numfmt"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
	"golang.org/x/image/colornames"
)

// formatPatch says what of the look of cells changes.
type formatPatch struct {
	NumberFormat  *string  `json:"number_format,omitempty" doc:"Format code: General, 0.00, #,##0, 0%, $#,##0, yyyy-mm-dd, @ …"`
	Bold          *bool    `json:"bold,omitempty"`
	Italic        *bool    `json:"italic,omitempty"`
	Underline     *bool    `json:"underline,omitempty"`
	Strike        *bool    `json:"strike,omitempty"`
	Font          *string  `json:"font,omitempty" doc:"Name of the font"`
	Size          *float64 `json:"size,omitempty" min:"1" max:"409" doc:"Font size in points"`
	Color         *string  `json:"color,omitempty" doc:"Text colour: #RRGGBB or a name such as red; \"\" for the default"`
	Fill          *string  `json:"fill,omitempty" doc:"Background colour: #RRGGBB or a name; \"\" for none"`
	FontSize      *float64 `json:"font_size,omitempty" min:"1" max:"409" doc:"The same as size"`
	FontColor     *string  `json:"font_color,omitempty" doc:"The same as color"`
	Background    *string  `json:"background_color,omitempty" doc:"The same as fill"`
	Border        *string  `json:"border,omitempty" enum:"none,thin,medium,thick,dashed,dotted,double,hair" doc:"All four sides of every cell"`
	BorderColor   *string  `json:"border_color,omitempty" doc:"#RRGGBB or a name"`
	Align         *string  `json:"align,omitempty" enum:"general,left,center,right,fill,justify"`
	VerticalAlign *string  `json:"vertical_align,omitempty" enum:"top,center,bottom,justify"`
	Wrap          *bool    `json:"wrap,omitempty" doc:"Break long text into lines"`
	ColumnWidth   *float64 `json:"column_width,omitempty" min:"0" max:"255" doc:"Of every column of the range, in characters"`
	RowHeight     *float64 `json:"row_height,omitempty" min:"0" max:"409" doc:"Of every row of the range, in points"`
}

type setFormatIn struct {
	FileID string      `json:"file_id" doc:"File id or name"`
	Sheet  string      `json:"sheet" doc:"Name of the sheet"`
	Range  string      `json:"range" doc:"Such as A1:D1, B2, A:C or 1:5"`
	Format formatPatch `json:"format" doc:"What changes; the rest stays"`
}

func setFormat(ctx context.Context, env *op.Env, in setFormatIn) (okOut, error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return okOut{}, err
	}
	err = edit(ctx, env, in.FileID, func(d *document) error { return d.format(ctx, in.Sheet, within, in.Format) })
	return okOut{err == nil}, err
}

// format lays a format over a range.
func (d *document) format(ctx context.Context, name string, within sheet.Range, f formatPatch) error {
	if _, csv := d.book.(*csvfile.Table); csv {
		return valuesOnly(d.file.Name, "a format")
	}
	change, err := f.change()
	if err != nil {
		return err
	}
	wb, edits, err := d.workbook("a format")
	if err != nil {
		return err
	}
	i, err := findSheet(wb, name)
	if err != nil {
		return err
	}
	if err := mustHaveCells(wb, i); err != nil {
		return err
	}
	edits.SetStyle(i, within, change)
	if f.ColumnWidth != nil {
		edits.SetColumnWidth(i, within.MinCol, min(within.MaxCol, sheet.MaxCol), *f.ColumnWidth)
	}
	if f.RowHeight != nil {
		last := within.MaxRow
		if last == sheet.Unbounded {
			used, _, err := wb.With(edits).Used(ctx, i)
			if err != nil {
				return err
			}
			last = max(used.MaxRow, within.MinRow)
		}
		if last-within.MinRow > 200_000 {
			return problem.New(problem.TooComplex, "range: the height of more than 200000 rows cannot be set").With("argument", "range")
		}
		for row := within.MinRow; row <= last; row++ {
			edits.SetRowHeight(i, row, *f.RowHeight)
		}
	}
	return nil
}

func (f formatPatch) change() (xlsx.StyleChange, error) {
	c := xlsx.StyleChange{
		Bold: f.Bold, Italic: f.Italic, Underline: f.Underline, Strike: f.Strike, Font: f.Font, FontSize: cmp.Or(f.Size, f.FontSize),
		Horizontal: f.Align, Vertical: f.VerticalAlign, Wrap: f.Wrap, NumberFormat: f.NumberFormat,
	}
	var err error
	if c.Color, err = colour(cmp.Or(f.Color, f.FontColor), "color"); err != nil {
		return c, err
	}
	if c.Fill, err = colour(cmp.Or(f.Fill, f.Background), "fill"); err != nil {
		return c, err
	}
	if f.NumberFormat != nil && (*f.NumberFormat == "" || len(*f.NumberFormat) > 255) {
		return c, problem.New(problem.InvalidArgument, "numberFormat: a format code has 1 to 255 characters").With("argument", "numberFormat")
	}
	if f.NumberFormat != nil && !numfmt.Closed(*f.NumberFormat) {
		return c, problem.New(problem.InvalidArgument, "numberFormat: in %q a quote or a bracket has no partner", clip(*f.NumberFormat)).
			WithHint("Texts stand in double quotes, as in 0.0 \"kg\"; a single sign follows a backslash.").With("argument", "numberFormat")
	}
	if f.Border != nil {
		line := xlsx.BorderLine{Style: *f.Border}
		color, err := colour(f.BorderColor, "borderColor")
		if err != nil {
			return c, err
		}
		if color != nil {
			line.Color = *color
		}
		c.Border = map[string]xlsx.BorderLine{"left": line, "right": line, "top": line, "bottom": line}
	}
	return c, nil
}

// colour reads #RRGGBB, #RGB or a name that CSS has as RRGGBB; "" and nil stay.
func colour(text *string, argument string) (*string, error) {
	if text == nil || *text == "" {
		return text, nil
	}
	s := strings.ToLower(strings.TrimSpace(*text))
	if c, ok := colornames.Map[s]; ok {
		hex := fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B)
		return &hex, nil
	}
	s = strings.ToUpper(strings.TrimPrefix(s, "#"))
	if strings.Trim(s, "0123456789ABCDEF") == "" {
		switch len(s) {
		case 3:
			s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
			return &s, nil
		case 6:
			return &s, nil
		case 8: // with its transparency in front, as Excel writes it
			s = s[2:]
			return &s, nil
		}
	}
	return nil, problem.New(problem.InvalidArgument, "%s: expected a colour such as \"#FF0000\" or \"red\", got %q", argument, *text).
		WithHint("A name is one of CSS, such as lightblue or darkgreen.").With("argument", argument)
}
