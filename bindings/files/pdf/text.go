package pdf

import (
	"context"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type extractTextIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Pages  pageList `json:"pages,omitempty" min:"1" doc:"Pages to read, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		Layout string   `json:"layout,omitempty" enum:"plain,lines,boxes" doc:"plain answers the text of each page, lines each line with its place, boxes each word with its place. Defaults to plain."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type piece struct {
	Text string `json:"text"`
	box
	Size float64 `json:"size" doc:"Font size in points"`
}

type pageText struct {
	Page  int     `json:"page" doc:"Counted from 1"`
	Text  string  `json:"text" doc:"The page's text in reading order; \"\" if there is none, as on scanned pages"`
	Lines []piece `json:"lines,omitempty" doc:"With layout lines"`
	Words []piece `json:"words,omitempty" doc:"With layout boxes"`
	Error string  `json:"error,omitempty" doc:"Why the page cannot be read, where the rest of the file can"`
}

type extractTextOut struct {
	Pages []pageText `json:"pages" doc:"In the order asked for"`
	repair
}

// maxText is how much text one answer may have, in bytes.
const maxText = 32 << 20

func extractText(ctx context.Context, env *op.Env, in extractTextIn) (out extractTextOut, err error) {
	plain := in.Options.Layout == "" || in.Options.Layout == "plain"
	if plain {
		out, done, err := ordinaryText(ctx, env, in)
		if done || err != nil {
			return out, err
		}
	}
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		indexes, err := v.indexes(in.Options.Pages)
		if err != nil {
			return err
		}
		if plain {
			if err := v.readAhead(ctx, env, indexes); err != nil {
				return err
			}
		}
		for _, i := range indexes {
			if err := ctx.Err(); err != nil {
				return err
			}
			var p pageText
			if plain {
				p, err = v.plainText(i)
			} else {
				p, err = textOf(v.doc, i, in.Options.Layout)
			}
			if err != nil {
				if v.doc.Broken() {
					return err
				}
				p = pageText{Page: i + 1, Error: "The page is damaged."}
			}
			if err := v.answer(&out, p); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// textOf is a page's text with the places of lines or words.
func textOf(doc *pdfium.Document, i int, layout string) (p pageText, err error) {
	p.Page = i + 1
	chars, err := doc.Chars(i)
	if err != nil {
		return p, err
	}
	for _, l := range lines(chars) {
		p.Text += l.text() + "\n"
		if layout == "lines" {
			p.Lines = append(p.Lines, l.piece())
			continue
		}
		for _, w := range l {
			p.Words = append(p.Words, w)
		}
	}
	p.Text = strings.TrimRight(p.Text, "\n")
	return p, nil
}

// line is the words of a line.
type line []piece

func (l line) text() string {
	words := make([]string, len(l))
	for i, w := range l {
		words[i] = w.Text
	}
	return strings.Join(words, " ")
}

func (l line) piece() piece {
	out := piece{Text: l.text(), Size: l[0].Size}
	var around pdfium.Rect
	for _, w := range l {
		around = around.Union(w.rect())
		out.Size = max(out.Size, w.Size)
	}
	out.box = boxOf(around)
	return out
}

func (b box) rect() pdfium.Rect {
	return pdfium.Rect{Left: b.X, Bottom: b.Y, Right: b.X + b.Width, Top: b.Y + b.Height}
}

// lines divides characters into lines of words.
func lines(chars []pdfium.Char) (all []line) {
	var l line
	var word strings.Builder
	var around pdfium.Rect
	var size float64
	endWord := func() {
		if word.Len() > 0 {
			l = append(l, piece{word.String(), boxOf(around), points(size)})
		}
		word.Reset()
		around, size = pdfium.Rect{}, 0
	}
	endLine := func() {
		if endWord(); len(l) > 0 {
			all = append(all, l)
		}
		l = nil
	}
	for _, c := range chars {
		switch c.Rune {
		case '\n':
			endLine()
		case ' ', '\t', '\u00A0', '\u3000':
			endWord()
		default:
			word.WriteRune(c.Rune)
			around = around.Union(c.Box)
			size = max(size, c.Size)
		}
	}
	endLine()
	return all
}

type searchIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Text    string `json:"text" doc:"Text to find, as it is; the ends of lines in the document count as spaces"`
	Options struct {
		Pages     pageList `json:"pages,omitempty" min:"1" doc:"Pages to search, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		MatchCase bool     `json:"match_case,omitempty" doc:"Whether A and a are different. Defaults to false."`
		WholeWord bool     `json:"whole_word,omitempty" doc:"Find whole words only. Defaults to false."`
		Limit     int      `json:"limit,omitempty" min:"1" max:"10000" doc:"How many matches to answer at most. Defaults to 200."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type match struct {
	Page    int    `json:"page" doc:"Counted from 1"`
	Text    string `json:"text" doc:"The text as it stands there"`
	Context string `json:"context" doc:"The text with what stands around it"`
	Boxes   []box  `json:"boxes" doc:"Where it is: a box for each line that it spans"`
}

type searchOut struct {
	Matches   []match `json:"matches" doc:"In the order of the pages"`
	Truncated bool    `json:"truncated" doc:"Whether there are more than the limit"`
	repair
}

// contextChars is how many characters of a match's surroundings are answered on either side.
const contextChars = 60

func search(ctx context.Context, env *op.Env, in searchIn) (out searchOut, err error) {
	if strings.TrimSpace(in.Text) == "" {
		return out, problem.New(problem.InvalidArgument, "text: expected some text to find, got %q", in.Text).With("argument", "text")
	}
	limit := in.Options.Limit
	if limit == 0 {
		limit = 200
	}
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		indexes, err := v.indexes(in.Options.Pages)
		if err != nil {
			return err
		}
		for _, i := range indexes {
			if err := ctx.Err(); err != nil {
				return err
			}
			found, err := v.doc.Search(i, in.Text, in.Options.MatchCase, in.Options.WholeWord, limit-len(out.Matches)+1)
			if err != nil {
				if v.doc.Broken() {
					return err
				}
				continue
			}
			for _, m := range found {
				if len(out.Matches) == limit {
					out.Truncated = true
					return nil
				}
				around, err := v.doc.TextAt(i, m.Start-contextChars, m.Chars+2*contextChars)
				if err != nil {
					return err
				}
				next := match{Page: i + 1, Text: flat(m.Text), Context: flat(around)}
				for _, b := range m.Boxes {
					next.Boxes = append(next.Boxes, boxOf(b))
				}
				out.Matches = append(out.Matches, next)
			}
		}
		return nil
	})
	return out, err
}

// flat puts text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
