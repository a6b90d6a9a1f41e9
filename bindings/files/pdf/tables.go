package pdf

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/table"
	"github.com/sandboxd/sandboxd/op"
)

type extractTablesIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Pages pageList `json:"pages,omitempty" min:"1" doc:"Pages to look at, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type foundTable struct {
	Page  int        `json:"page" doc:"Counted from 1"`
	Rows  [][]string `json:"rows" doc:"Rows of equal length; a cell that spans several is given in the first, the others are \"\""`
	Ruled bool       `json:"ruled" doc:"Whether lines separate the cells; otherwise they were told by how the text is aligned, which is less sure"`
	Box   box        `json:"box" doc:"Its place on the page"`
}

type extractTablesOut struct {
	Tables []foundTable `json:"tables" doc:"In the order of the pages, from top to bottom"`
	repair
}

func extractTables(ctx context.Context, env *op.Env, in extractTablesIn) (out extractTablesOut, err error) {
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		return v.eachPage(ctx, in.Options.Pages, func(i int) error {
			chars, err := v.doc.Chars(i)
			if err != nil {
				return err
			}
			rules, err := v.doc.Rules(i)
			if err != nil {
				return err
			}
			for _, t := range table.Find(tableWords(chars), tableRules(rules)) {
				out.Tables = append(out.Tables, foundTable{Page: i + 1, Rows: t.Rows, Ruled: t.Ruled,
					Box: boxOf(pdfium.Rect{Left: t.Box.X1, Bottom: t.Box.Y1, Right: t.Box.X2, Top: t.Box.Y2})})
			}
			return nil
		})
	})
	return out, err
}

func tableWords(chars []pdfium.Char) (words []table.Word) {
	for _, l := range lines(chars) {
		for _, w := range l {
			r := w.rect()
			words = append(words, table.Word{Text: w.Text, Box: table.Box{X1: r.Left, Y1: r.Bottom, X2: r.Right, Y2: r.Top}, Size: w.Size})
		}
	}
	return words
}

func tableRules(rules []pdfium.Rule) []table.Box {
	out := make([]table.Box, len(rules))
	for i, r := range rules {
		out[i] = table.Box(r)
	}
	return out
}
