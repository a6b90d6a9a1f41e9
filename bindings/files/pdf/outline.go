package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
)

type outlineIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options secret `json:"options,omitempty" op:"options"`
}

type bookmark struct {
	Title string   `json:"title"`
	Level int      `json:"level" doc:"How deep it lies, from 1"`
	Page  int      `json:"page,omitempty" doc:"The page that it leads to, counted from 1"`
	Y     *float64 `json:"y,omitempty" doc:"How high on that page, in points from its bottom"`
	URL   string   `json:"url,omitempty" js:"url" doc:"The address that it leads to instead"`
}

type outlineOut struct {
	Items []bookmark `json:"items" op:"result" doc:"In order, each before those below it; empty if there are no bookmarks"`
	repair
}

func outline(ctx context.Context, env *op.Env, in outlineIn) (out outlineOut, err error) {
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		bookmarks, err := v.doc.Outline()
		for _, b := range bookmarks {
			item := bookmark{Title: flat(b.Title), Level: b.Level + 1, Page: b.Page + 1, URL: b.URL}
			if b.HasPlace {
				y := points(b.Y)
				item.Y = &y
			}
			out.Items = append(out.Items, item)
		}
		return err
	})
	return out, err
}

type annotationsIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Pages pageList `json:"pages,omitempty" min:"1" doc:"Pages to look at, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type annotation struct {
	Page int    `json:"page" doc:"Counted from 1"`
	Type string `json:"type" doc:"As PDF calls it: Text (a note), Link, FreeText, Highlight, Underline, StrikeOut, Stamp, Ink, Square, …"`
	box
	Contents   string `json:"contents,omitempty" doc:"What somebody wrote"`
	Author     string `json:"author,omitempty"`
	Subject    string `json:"subject,omitempty"`
	ModifiedOn string `json:"modified_on,omitempty" doc:"ISO 8601 UTC"`
	MarkedText string `json:"marked_text,omitempty" doc:"The page's text that a highlight, underline or strike-out is on"`
	URL        string `json:"url,omitempty" js:"url" doc:"Where a link leads"`
	TargetPage int    `json:"target_page,omitempty" doc:"The page that a link leads to, counted from 1"`
	Color      string `json:"color,omitempty" doc:"Such as #FFCC00"`
	Hidden     bool   `json:"hidden,omitempty"`
}

type annotationsOut struct {
	Annotations []annotation `json:"annotations" op:"result" doc:"In the order of the pages; form fields are left out, see getFormFields"`
	repair
}

func annotations(ctx context.Context, env *op.Env, in annotationsIn) (out annotationsOut, err error) {
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		return v.eachPage(ctx, in.Options.Pages, func(i int) error {
			list, err := v.doc.Annotations(i)
			for _, a := range list {
				out.Annotations = append(out.Annotations, annotationOf(i, a))
			}
			return err
		})
	})
	return out, err
}

func annotationOf(page int, a pdfium.Annotation) annotation {
	out := annotation{Page: page + 1, Type: a.Kind, box: boxOf(a.Box), Contents: strings.TrimSpace(lineEnds.Replace(a.Contents)), Author: a.Author,
		Subject: a.Subject, ModifiedOn: isoDate(a.Modified), MarkedText: flat(a.Marked), URL: a.URL, TargetPage: a.Page + 1, Hidden: a.Hidden}
	if a.HasColor {
		out.Color = fmt.Sprintf("#%02X%02X%02X", a.Color[0], a.Color[1], a.Color[2])
	}
	return out
}

// eachPage hands the pages asked for to look, all if none are. One that cannot be read is
// passed over, unless it is the only one that was asked for.
func (v *view) eachPage(ctx context.Context, pages pageList, look func(i int) error) error {
	indexes, err := v.indexes(pages)
	if err != nil {
		return err
	}
	for _, i := range indexes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := look(i); err != nil && (!errors.Is(err, pdfium.ErrPage) || len(indexes) == 1) {
			return err
		}
	}
	return nil
}
