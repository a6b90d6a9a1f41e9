package xlsx

import (
	"archive/zip"
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/sandboxd/sandboxd/problem"
)

// compression is that of parts that change: 100 MB/s and within a tenth of Excel's size.
const compression = 4

// Rewrite writes the workbook with its edits. Parts without edits are copied as they
// are, compressed; in those with edits everything but the cells in question stays to the
// byte. The results of formulas are marked to be computed when the workbook is opened.
func (wb *Workbook) Rewrite(ctx context.Context, w io.Writer, e *Edits) error {
	return wb.rewrite(ctx, w, e, nil)
}

// rewrite is Rewrite with one more plan.
func (wb *Workbook) rewrite(ctx context.Context, w io.Writer, e *Edits, more func(rw *rewriter) error) error {
	rw := &rewriter{wb: wb, ctx: ctx, changed: map[*part]func(*bufio.Writer) error{},
		visits: map[*part][]func(*xmlScanner) error{}, left: map[*part]bool{},
		leftRels: map[*part]map[string]bool{}, numbers: map[string]int{}}
	if err := e.nameColumns(ctx, wb); err != nil {
		return err
	}
	e.spellTables()
	if err := rw.plan(e); err != nil {
		return err
	}
	if more != nil {
		if err := more(rw); err != nil {
			return err
		}
	}
	return rw.write(w)
}

// rewriteAfter is rewrite with changes that references follow behind those of the edits.
func (wb *Workbook) rewriteAfter(ctx context.Context, w io.Writer, e *Edits, list changes, more func(rw *rewriter) error) error {
	if err := e.nameColumns(ctx, wb); err != nil { // not only in the copy
		return err
	}
	own := *e
	own.moves = append(e.moves[:len(e.moves):len(e.moves)], list...)
	for i, s := range own.sheets {
		s.refer(list, wb.sheets[i].info.Name)
	}
	return wb.rewrite(ctx, w, &own, more)
}

// rewriter holds what becomes of each part.
type rewriter struct {
	wb      *Workbook
	ctx     context.Context
	styles  *stylePatch
	changed map[*part]func(*bufio.Writer) error
	visits  map[*part][]func(*xmlScanner) error
	left    map[*part]bool // parts that are left out
	moves   changes        // what references have to follow

	leftRels map[*part]map[string]bool // of parts, the relationships that are left out, by id
	added    []newPart
	inMain   map[string][]func(n *node) error // changes of the workbook part's elements, by name
	numbers  map[string]int                   // of parts added, the next number by name
}

func (rw *rewriter) plan(e *Edits) error {
	wb := rw.wb
	styles, err := wb.newStylePatch(rw.ctx)
	if err != nil {
		return err
	}
	rw.styles = styles
	for _, i := range e.touchedSheets() {
		edits := e.sheets[i]
		s, err := wb.worksheetOf(i)
		if err != nil {
			return err
		}
		if _, err := s.survey.get(rw.ctx, s); err != nil && s.part.inflated <= smallSheet {
			return err
		}
		rw.changed[s.part] = func(w *bufio.Writer) error { return rw.sheet(s, edits, w) }
	}
	if err := rw.follow(e); err != nil {
		return err
	}
	if err := rw.decorations(e); err != nil {
		return err
	}
	rw.visit(wb.main, markForCalculation())
	rels, types := wb.archive.find(relsOf(wb.main.name)), wb.archive.find("[Content_Types].xml")
	// The order of calculation lists cells with formulas, and must not list others: it
	// is left out, and made anew by the program that opens the workbook.
	if chain := wb.calcChain; chain != nil {
		rw.left[chain] = true
		rw.visit(rels, dropElement("Relationship", func(x *xmlScanner) bool {
			return strings.HasSuffix(x.get("Type"), "/calcChain")
		}))
		rw.visit(types, dropElement("Override", func(x *xmlScanner) bool {
			return strings.EqualFold(cleanName(x.get("PartName")), chain.name)
		}))
	}
	if styles.part == nil && e.needStyles() {
		styles.newName = resolve(wb.main.name, "styles.xml")
		rw.visit(rels, insertAtEnd(`Relationship Id="rIdStyles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="`+escapeXML(targetOf(wb.main.name, styles.newName))+`"/>`))
		rw.visit(types, insertAtEnd(`Override PartName="/`+styles.newName+`" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>`))
	}
	return nil
}

// visit makes a function see every token of a part that is copied; nil is no part.
func (rw *rewriter) visit(p *part, fn func(x *xmlScanner) error) {
	if p == nil {
		return
	}
	before := rw.visits[p]
	rw.visits[p] = append(before, fn)
	if before == nil {
		rw.changed[p] = func(w *bufio.Writer) error {
			return rw.transform(p, w, func(x *xmlScanner) error {
				for _, fn := range rw.visits[p] {
					if err := fn(x); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
}

// element makes a function change an element of the workbook part, behind those that do
// so already.
func (rw *rewriter) element(name string, fn func(n *node) error) {
	if rw.inMain == nil {
		rw.inMain = map[string][]func(n *node) error{}
		rw.visit(rw.wb.main, func(x *xmlScanner) error {
			if x.kind != startTag || x.depth != 2 || rw.inMain[string(x.name)] == nil {
				return nil
			}
			list := rw.inMain[string(x.name)]
			return x.rewriteElements(2, func(n *node) ([]*node, error) {
				for _, fn := range list {
					if err := fn(n); err != nil {
						return nil, err
					}
				}
				if n.elements() == 0 {
					return nil, nil
				}
				return []*node{n}, nil
			})
		})
	}
	rw.inMain[name] = append(rw.inMain[name], fn)
}

// insertAtEnd adds an element, given without its <, at the end of the part's root.
func insertAtEnd(element string) func(x *xmlScanner) error {
	return func(x *xmlScanner) error {
		if x.kind != endTag || x.depth != 0 || x.kept == x.r {
			return nil
		}
		// The tag stays to be copied: others may add theirs.
		return x.insertBefore("<" + prefixOf(x.tagText()) + element)
	}
}

// write writes the archive. The styles come last, when it is known which are needed; the
// sheets wait for nothing, since new styles are numbered as they are met.
func (rw *rewriter) write(w io.Writer) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, compression)
	})
	create := func(name string, fn func(*bufio.Writer) error) error {
		if err := rw.ctx.Err(); err != nil {
			return problem.From(err)
		}
		out, err := z.Create(name)
		if err != nil {
			return err
		}
		buf := bufio.NewWriterSize(out, 64<<10)
		if err := fn(buf); err != nil {
			return err
		}
		return buf.Flush()
	}
	for _, p := range rw.wb.archive.order {
		switch fn := rw.changed[p]; {
		case rw.left[p] || p == rw.styles.part:
		case rw.wb.archive.parts[p.name] != p: // a name that comes twice; the last counts
		case fn != nil:
			if err := create(p.file.Name, fn); err != nil {
				return err
			}
		default:
			if err := z.Copy(p.file); err != nil {
				return damaged("the workbook's part %q cannot be copied", clip(p.name)).WithCause(err)
			}
		}
	}
	for _, p := range rw.added {
		if err := create(p.name, p.write); err != nil {
			return err
		}
	}
	if rw.styles.part != nil {
		p := rw.styles.part
		if len(rw.styles.made)+len(rw.styles.dxfs) == 0 {
			if err := z.Copy(p.file); err != nil {
				return damaged("the workbook's part %q cannot be copied", clip(p.name)).WithCause(err)
			}
		} else if err := create(p.file.Name, rw.styles.write); err != nil {
			return err
		}
	}
	if rw.styles.newName != "" {
		if err := create(rw.styles.newName, rw.styles.write); err != nil {
			return err
		}
	}
	return z.Close()
}

// transform copies a part through a function that sees every token. What the token was
// is copied behind the call, unless it dropped it.
func (rw *rewriter) transform(p *part, w *bufio.Writer, visit func(x *xmlScanner) error) error {
	return rw.wb.scan(rw.ctx, p, func(x *xmlScanner) error {
		return x.transform(w, visit)
	})
}

func (x *xmlScanner) transform(w *bufio.Writer, visit func(x *xmlScanner) error) error {
	x.copy, x.kept = w, x.r
	for {
		if err := x.next(); err != nil {
			return err
		}
		if err := visit(x); err != nil {
			return err
		}
		if err := x.flush(); err != nil {
			return err
		}
		if x.kind == endOfPart {
			return nil
		}
	}
}
