package pdf

import (
	"context"
	"math"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// pageCount is what operations answer that change how many pages there are, or how they lie.
type pageCount struct {
	PageCount int `json:"page_count" doc:"Number of pages now"`
	repair
}

type addPageIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Size        paper  `json:"size,omitempty" doc:"A3, A4, A5, A6, B5, Letter, Legal, Tabloid or Executive, or width × height such as 400x300 or [400, 300] (points), 210x297mm or 8.5x11in. Defaults to the size of the page before it."`
		Orientation string `json:"orientation,omitempty" enum:"portrait,landscape" doc:"Defaults to how the size is written"`
		At          int    `json:"at,omitempty" min:"1" doc:"The number that the new page gets. Defaults to the end."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type addPageOut struct {
	Page   int     `json:"page" doc:"Number of the new page"`
	Width  float64 `json:"width" doc:"In points"`
	Height float64 `json:"height" doc:"In points"`
	pageCount
}

func addPage(ctx context.Context, env *op.Env, in addPageIn) (out addPageOut, err error) {
	out.repair, err = rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		if len(d.Pages) >= env.Limits.PDFPages {
			return tooManyPages(name, len(d.Pages)+1, env.Limits.PDFPages)
		}
		out.Page = in.Options.At
		if out.Page == 0 {
			out.Page = len(d.Pages) + 1
		}
		if out.Page > len(d.Pages)+1 {
			return problem.New(problem.InvalidArgument, "at is %d, but %q has %s", in.Options.At, name, plural(len(d.Pages), "page")).
				WithHint("Use a number from 1 to %d.", len(d.Pages)+1).With("argument", "at")
		}
		width, height := d.Pages[max(out.Page-2, 0)].Size()
		if in.Options.Size != "" {
			if width, height, err = in.Options.Size.points(); err != nil {
				return err
			}
		}
		width, height = oriented(width, height, in.Options.Orientation)
		d.NewPage(out.Page-1, width, height)
		out.Width, out.Height, out.PageCount = points(width), points(height), len(d.Pages)
		return nil
	})
	return out, err
}

type deletePageIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Page    int    `json:"page_num" min:"1" doc:"Counted from 1"`
	Options secret `json:"options,omitempty" op:"options"`
}

func deletePage(ctx context.Context, env *op.Env, in deletePageIn) (out pageCount, err error) {
	out.repair, err = rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		i, err := pageIndex("page_num", name, len(d.Pages), in.Page)
		if err != nil {
			return err
		}
		if len(d.Pages) == 1 {
			return problem.New(problem.InvalidArgument, "%q has this page only, and a PDF must have one", name).
				WithHint("Delete the file with files.delete, or add a page before.").With("argument", "page_num")
		}
		d.Pages = slices.Delete(d.Pages, i, i+1)
		out.PageCount = len(d.Pages)
		return nil
	})
	return out, err
}

type rotatePagesIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Degrees int    `json:"degrees" doc:"Clockwise: 90, 180 or 270, or such as -90"`
	Options struct {
		Pages pageList `json:"pages,omitempty" min:"1" doc:"Pages to turn, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		secret
	} `json:"options,omitempty" op:"options"`
}

func rotatePages(ctx context.Context, env *op.Env, in rotatePagesIn) (out pageCount, err error) {
	if in.Degrees%90 != 0 || in.Degrees%360 == 0 || in.Degrees < math.MinInt16 || in.Degrees > math.MaxInt16 {
		return out, problem.New(problem.InvalidArgument, "degrees: expected 90, 180 or 270, got %d", in.Degrees).With("argument", "degrees")
	}
	out.repair, err = rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		pages, err := in.Options.Pages.indexes(name, len(d.Pages))
		if err != nil {
			return err
		}
		slices.Sort(pages)
		for _, i := range slices.Compact(pages) {
			d.Pages[i].Rotate(in.Degrees)
		}
		out.PageCount = len(d.Pages)
		return nil
	})
	return out, err
}

type reorderPagesIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Order   []int  `json:"order" min:"1" doc:"The numbers that the pages have now, in their new order; each once"`
	Options secret `json:"options,omitempty" op:"options"`
}

func reorderPages(ctx context.Context, env *op.Env, in reorderPagesIn) (out pageCount, err error) {
	out.repair, err = rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		ordered := make([]*document.Page, len(in.Order))
		seen := make([]bool, len(d.Pages))
		for n, page := range in.Order {
			i, err := pageIndex("order", name, len(d.Pages), page)
			if err != nil {
				return err
			}
			if seen[i] {
				return problem.New(problem.InvalidArgument, "order: page %d is there twice", page).With("argument", "order")
			}
			seen[i], ordered[n] = true, d.Pages[i]
		}
		if missing := slices.Index(seen, false); missing >= 0 {
			return problem.New(problem.InvalidArgument, "order: page %d is missing; %q has %s", missing+1, name, plural(len(d.Pages), "page")).
				WithHint("Name every page once. To leave pages out use splitPages or deletePage.").With("argument", "order")
		}
		d.Pages = ordered
		out.PageCount = len(d.Pages)
		return nil
	})
	return out, err
}
