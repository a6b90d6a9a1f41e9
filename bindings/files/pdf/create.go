package pdf

import (
	"context"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/layout"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// newPage is a page, or what flows on from one.
type newPage struct {
	Markdown    string `json:"markdown,omitempty" doc:"What is on it, in Markdown; more than fits goes on to further pages"`
	Text        string `json:"text,omitempty" doc:"What is on it, as plain text"`
	Image       string `json:"image,omitempty" doc:"File id or name of an image that fills it"`
	Size        paper  `json:"size,omitempty" doc:"Defaults to that of the document"`
	Orientation string `json:"orientation,omitempty" enum:"portrait,landscape" doc:"Defaults to that of the document"`
}

type createIn struct {
	Name    string `json:"name" doc:"Name of the new file"`
	Options struct {
		Markdown    string    `json:"markdown,omitempty" doc:"The content in Markdown; this or pages"`
		Pages       []newPage `json:"pages,omitempty" doc:"The content page by page, each with markdown, text or image, or nothing for a blank page"`
		Size        paper     `json:"size,omitempty" doc:"A3, A4, A5, A6, B5, Letter, Legal, Tabloid or Executive, or such as 400x300 or [400, 300] (points), 210x297mm or 8.5x11in. Defaults to A4."`
		Orientation string    `json:"orientation,omitempty" enum:"portrait,landscape" doc:"Defaults to how the size is written"`
		Margin      *float64  `json:"margin,omitempty" min:"0" max:"1000" doc:"On all sides, in points. Defaults to 62."`
		FontSize    float64   `json:"font_size,omitempty" min:"4" max:"72" doc:"Of the text, in points. Defaults to 10.5."`
		Font        string    `json:"font,omitempty" doc:"Helvetica, Times or Courier, which Arial, Times New Roman and Courier New mean as well, or the family of an installed font; -Bold and -Italic at the end are understood. Defaults to Noto Sans."`
		Header      string    `json:"header,omitempty" doc:"A line above each page"`
		Footer      string    `json:"footer,omitempty" doc:"A line below each page"`
		PageNumbers *bool     `json:"page_numbers,omitempty" doc:"Defaults to true"`
		Title       string    `json:"title,omitempty" doc:"Of the metadata. Defaults to the first heading."`
		Author      string    `json:"author,omitempty" doc:"Of the metadata"`
	} `json:"options" op:"options"`
}

type createOut struct {
	made
	Fonts []string `json:"fonts" doc:"The fonts that it is written in"`
}

// The defaults of a new document, in points.
const (
	textSize   = 10.5
	textMargin = 62
)

func createPDF(ctx context.Context, env *op.Env, in createIn) (out createOut, err error) {
	name, err := pdfName("name", in.Name)
	if err != nil {
		return out, err
	}
	if (in.Options.Markdown == "") == (len(in.Options.Pages) == 0) {
		return out, problem.New(problem.InvalidArgument, "expected markdown or pages, one of the two").With("argument", "markdown")
	}
	d := document.New()
	set := setter(env, d)
	data, err := guarded(func() ([]byte, error) {
		title, err := in.lay(ctx, env, d, set)
		if err != nil {
			return nil, err
		}
		if in.Options.Title != "" {
			title = in.Options.Title
		}
		d.Info = types.Dict{"Producer": types.StringLiteral("sandboxd")}
		metadata{Title: &title, Author: &in.Options.Author}.apply(d)
		return written(ctx, env.Limits.FileBytes, d, name)
	})
	if err != nil {
		return out, err
	}
	file, err := create(ctx, env, name, mimeType, data, false)
	out.made, out.Fonts = madeOf(file, len(d.Pages)), set.Fonts()
	return out, err
}

// lay lays the content out on pages, and tells the first heading.
func (in createIn) lay(ctx context.Context, env *op.Env, d *document.Document, set *typeset.Setter) (title string, err error) {
	opts, err := in.layout(env, d)
	if err != nil {
		return "", err
	}
	flow := layout.New(ctx, d, set, opts)
	if in.Options.Markdown != "" {
		err = flow.Markdown(in.Options.Markdown)
	}
	for _, page := range in.Options.Pages {
		if err = page.lay(flow, opts); err != nil {
			break
		}
	}
	if err == nil {
		err = flow.Finish()
	}
	return flow.Title(), err
}

func (p newPage) lay(flow *layout.Flow, opts layout.Options) (err error) {
	width, height := opts.Width, opts.Height
	if p.Size != "" {
		if width, height, err = p.Size.points(); err != nil {
			return err
		}
	}
	width, height = oriented(width, height, p.Orientation)
	if err := flow.NewPage(width, height); err != nil {
		return err
	}
	kinds := 0
	for _, content := range []string{p.Markdown, p.Text, p.Image} {
		if content != "" {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return problem.New(problem.InvalidArgument, "pages: expected one of markdown, text and image for a page, got %d of them", kinds).With("argument", "pages")
	case p.Markdown != "":
		return flow.Markdown(p.Markdown)
	case p.Text != "":
		return flow.Text(p.Text)
	case p.Image != "":
		return flow.FullPicture(p.Image)
	}
	return nil
}

// layout gives the options with their defaults.
func (in createIn) layout(env *op.Env, d *document.Document) (opts layout.Options, err error) {
	o := in.Options
	opts = layout.Options{
		Margin: textMargin, Size: textSize, Header: oneLine(o.Header), Footer: oneLine(o.Footer),
		PageNumbers: o.PageNumbers == nil || *o.PageNumbers, MaxPages: env.Limits.PDFPages,
	}
	if o.Size == "" {
		o.Size = "A4"
	}
	if opts.Width, opts.Height, err = o.Size.points(); err != nil {
		return opts, err
	}
	opts.Width, opts.Height = oriented(opts.Width, opts.Height, o.Orientation)
	if o.Margin != nil {
		opts.Margin = *o.Margin
	}
	if o.FontSize != 0 {
		opts.Size = o.FontSize
	}
	if o.Font != "" {
		look, err := textStyle{Font: o.Font}.look(env)
		if err != nil {
			return opts, err
		}
		opts.Family, opts.Bold, opts.Italic = look.Family, look.Bold, look.Italic
	}
	if set, err := engine.Of[*fonts.Set](env.Engines, fonts.Name); err != nil || set == nil {
		opts.MonoFamily = "Courier" // what every viewer has
		if opts.Family == "" {
			opts.Family = "Helvetica"
		}
	}
	pictures := map[string]*picture.Picture{}
	opts.Image = func(ctx context.Context, ref string) (*picture.Picture, error) {
		if known := pictures[ref]; known != nil {
			return known, nil
		}
		if strings.HasPrefix(strings.ToLower(ref), "data:") {
			return nil, problem.New(problem.InvalidArgument, "an image cannot stand in a data: address").
				WithHint("Make a file of its bytes, with files.create and files.writeBytes, and name that.")
		}
		if strings.Contains(ref, "://") {
			return nil, problem.New(problem.InvalidArgument, "an image cannot be taken from an address: %q", ref).
				WithHint("Fetch it with files.download, and name the file.")
		}
		data, file, err := imageBytes(ctx, env, strings.TrimPrefix(ref, "./"))
		if err != nil {
			return nil, err
		}
		img, err := addPicture(env, d, data, file)
		pictures[ref] = img
		return img, err
	}
	return opts, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
