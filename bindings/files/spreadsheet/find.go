package spreadsheet

import (
	"context"
	"regexp"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pattern"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
)

type findCellsIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Pattern string `json:"pattern" doc:"A text that cells contain, or with the option regex a regular expression in RE2 syntax"`
	Options struct {
		Sheet         string `json:"sheet,omitempty" doc:"Name of the sheet. Omit for all of them."`
		Range         string `json:"range,omitempty" doc:"Such as A1:D50, B2, A:C or 1:5. Omit for all cells in use."`
		Regex         bool   `json:"regex,omitempty" doc:"The pattern is a regular expression"`
		CaseSensitive bool   `json:"case_sensitive,omitempty" doc:"Upper and lower case differ"`
		Limit         int    `json:"limit,omitempty" min:"1" max:"10000" doc:"Most cells to answer. Defaults to 1000."`
	} `op:"options"`
}

type foundCell struct {
	Sheet string `json:"sheet" doc:"Name of the sheet"`
	Cell  string `json:"cell" doc:"Such as B2"`
	Value any    `json:"value" doc:"As readRange gives it"`
	Text  string `json:"text" doc:"What a person sees, of a long text the first 500 characters"`
}

type findCellsOut struct {
	Cells     []foundCell `json:"cells" doc:"By sheet, row and column"`
	Truncated bool        `json:"truncated" doc:"There are more such cells than the limit"`
}

const (
	maxFound     = 1000 // the default
	maxFoundText = 500
)

func findCells(ctx context.Context, env *op.Env, in findCellsIn) (out findCellsOut, err error) {
	within, err := sheet.ParseRange(in.Options.Range)
	if err != nil {
		return out, err
	}
	text := in.Pattern
	if !in.Options.Regex {
		text = regexp.QuoteMeta(text)
	}
	re, err := pattern.Compile(text, !in.Options.CaseSensitive)
	if err != nil {
		return out, err
	}
	// Only who spells a date looks for its time in the form of ISO 8601: a z, a t or 00 would
	// find every date.
	moments := strings.Contains(in.Pattern, "-")
	limit := in.Options.Limit
	if limit == 0 {
		limit = maxFound
	}
	out.Cells = []foundCell{}
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		only := -1
		if in.Options.Sheet != "" {
			if only, err = findSheet(book, in.Options.Sheet); err != nil {
				return err
			}
		}
		for i, info := range book.Sheets() {
			if out.Truncated || only >= 0 && i != only || only < 0 && !hasCells(info) {
				continue
			}
			err := book.Rows(ctx, i, within, func(row int, cells []sheet.Cell) error {
				for _, c := range cells {
					shown, ok := matches(re, moments, book, c)
					if !ok {
						continue
					}
					if len(out.Cells) == limit {
						out.Truncated = true
						return sheet.Stop
					}
					at := sheet.Ref{Col: int(c.Col), Row: row}
					out.Cells = append(out.Cells, foundCell{info.Name, at.String(), plain(c.Value), cut(shown, maxFoundText)})
				}
				return nil
			})
			if err != nil {
				return named(err, file.Name)
			}
		}
		return nil
	})
	return out, err
}

func hasCells(info sheet.Info) bool {
	return info.Kind == sheet.Worksheet || info.Kind == sheet.Macrosheet
}

// matches looks at a cell's value without its format and at the text that a person sees:
// 1200 and $1,200.00 find the same cell. The value of a date is its day, and with moments
// its time too.
func matches(re *regexp.Regexp, moments bool, book sheet.Book, c sheet.Cell) (shown string, ok bool) {
	if c.Kind == sheet.Empty {
		return "", false
	}
	value := c.Value.Plain()
	if day, _, ok := strings.Cut(value, "T"); ok && c.Kind == sheet.Date && !moments {
		value = day
	}
	if re.MatchString(value) {
		return book.Text(c), true
	}
	if c.Kind == sheet.String {
		return c.Value.Text, false // its format may add to it, but that is not what it says
	}
	shown = book.Text(c)
	return shown, re.MatchString(shown)
}

// cut ends a text after n characters.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}
