package xlsx

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// follow plans what happens to all parts that refer to what has moved.
func (rw *rewriter) follow(e *Edits) error {
	rw.moves = append(e.moves[:len(e.moves):len(e.moves)], e.renamed()...)
	rw.names(e)
	if len(rw.moves) == 0 {
		return nil
	}
	if err := rw.references(); err != nil {
		return err
	}
	for _, i := range e.touchedSheets() {
		if e.sheets[i].lines == nil && e.sheets[i].columns == nil {
			continue
		}
		if err := rw.sheetParts(i); err != nil {
			return err
		}
	}
	for _, t := range e.tables {
		f := newFollower(rw.moves, rw.wb.sheets[t.sheet].info.Name)
		if t.gone {
			if err := rw.leaveOut(t.part); err != nil {
				return err
			}
			continue
		}
		var longer sheet.Range
		if o := e.of(t.sheet).objects; o != nil {
			longer = o.grown[t.part]
		}
		rw.whole(t.part, func(root *node) error {
			if err := t.rewrite(root, f); err != nil {
				return err
			}
			if longer.MinRow > 0 {
				growTable(root, longer)
			}
			return nil
		})
	}
	return nil
}

// references plans the parts that hold formulas, wherever they belong.
func (rw *rewriter) references() error {
	wb := rw.wb
	types, err := wb.contentTypes(rw.ctx)
	if err != nil {
		return err
	}
	homes := map[*part]string{}
	for _, s := range wb.sheets {
		if s.part == nil {
			continue
		}
		parts, err := wb.partsOf(rw.ctx, s.part, "table", "ctrlProp", "drawing")
		if err != nil {
			return err
		}
		for _, p := range parts {
			homes[p] = s.info.Name
		}
		if rw.changed[s.part] != nil || s.info.Kind == sheet.Chartsheet || s.info.Kind == sheet.Dialogsheet {
			continue
		}
		concerned, err := rw.concerned(s)
		if err != nil {
			return err
		}
		if concerned {
			s := s
			rw.changed[s.part] = func(w *bufio.Writer) error { return rw.sheet(s, &sheetEdits{}, w) }
		}
	}
	for _, p := range wb.archive.order {
		f := newFollower(rw.moves, homes[p])
		f.own = nil // places come with the sheet that they are on
		switch types.kindOf(p.name) {
		case "chart":
			rw.visit(p, func(x *xmlScanner) error {
				if x.kind != startTag || string(x.name) != "f" {
					return nil
				}
				return x.rewriteElements(x.depth, f.keep)
			})
		case "drawing":
			rw.visit(p, func(x *xmlScanner) error { return x.rewriteElements(2, f.keep) })
		case "table":
			rw.whole(p, func(root *node) error { _, err := f.node(root); return err })
		case "pivotCache":
			rw.visit(p, func(x *xmlScanner) error {
				if x.kind != startTag || string(x.name) != "worksheetSource" {
					return nil
				}
				return x.rewriteElements(x.depth, func(n *node) ([]*node, error) {
					f.source(n)
					return []*node{n}, nil
				})
			})
		case "control":
			rw.whole(p, func(root *node) error { _, err := f.node(root); return err })
		}
	}
	return nil
}

// keep is node for rewriteElements.
func (f *follower) keep(n *node) ([]*node, error) {
	ok, err := f.node(n)
	if !ok || err != nil {
		return nil, err
	}
	return []*node{n}, nil
}

// concerned tells whether a sheet on which nothing moves may have formulas that follow:
// those that name another sheet have a !, which is rare otherwise.
func (rw *rewriter) concerned(s *worksheet) (bool, error) {
	plain := false
	for _, c := range rw.moves {
		p, _ := c.touches(s.info.Name)
		plain = plain || p
	}
	if plain {
		return true, nil
	}
	b, err := rw.wb.archive.open(rw.ctx, s.part, nil)
	if err != nil {
		return false, err
	}
	defer b.close()
	src, _, err := asUTF8(b)
	if err != nil {
		return false, err
	}
	buf := make([]byte, 64<<10)
	for first := true; ; first = false {
		n, err := io.ReadFull(src, buf)
		text := buf[:n]
		if first {
			text = bytes.ReplaceAll(text, []byte("<!--"), nil)
		}
		if bytes.IndexByte(text, '!') >= 0 {
			return true, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// sheetParts plans the parts of a sheet that say where on it something is.
func (rw *rewriter) sheetParts(i int) error {
	wb, s := rw.wb, rw.wb.sheets[i]
	rels, err := wb.relationships(rw.ctx, s.part.name)
	if err != nil {
		return err
	}
	f := newFollower(rw.moves, s.info.Name)
	for _, rel := range rels {
		p := wb.archive.find(resolve(s.part.name, rel.target))
		if p == nil {
			continue
		}
		depth := 0
		switch rel.kind {
		case "comments":
			depth = 3
		case "threadedComment", "drawing":
			depth = 2
		case "pivotTable":
			rw.visit(p, func(x *xmlScanner) error {
				if string(x.name) != "location" {
					return nil
				}
				return x.rewriteElements(2, func(n *node) ([]*node, error) {
					if ok, _ := f.node(n); !ok {
						return []*node{n}, nil // a pivot table has a place, even if all around it is gone
					}
					return []*node{n}, nil
				})
			})
			continue
		case "vmlDrawing":
			rw.changed[p] = func(w *bufio.Writer) error {
				text, err := wb.all(rw.ctx, p)
				if err == nil {
					_, err = w.WriteString(f.vml(string(text)))
				}
				return err
			}
			continue
		case "tableSingleCells":
			depth = 2
		default:
			continue
		}
		delete(rw.visits, p) // drawings may have been planned without their places
		delete(rw.changed, p)
		rw.visit(p, func(x *xmlScanner) error { return x.rewriteElements(depth, f.keep) })
	}
	return nil
}

// resized tells whether a sheet's dimension changes.
func (sw *sheetWriter) resized() bool {
	return sw.edits.used.MinRow > 0 || sw.lines != nil || sw.columns != nil
}

// dimension gives what a claimed dimension becomes.
func (sw *sheetWriter) dimension(claim string) string {
	if r, err := sheet.ParseRange(claim); err == nil && claim != "" {
		moved, ok := sw.follower.own.area(r)
		if !ok {
			moved = sheet.Range{MinCol: 1, MinRow: 1, MaxCol: 1, MaxRow: 1}
		}
		claim = moved.String()
	}
	if sw.edits.used.MinRow > 0 {
		return grown(claim, sw.edits.used)
	}
	return claim
}

// section handles an element beside the rows, whose start tag was read last.
func (sw *sheetWriter) section(x *xmlScanner) error {
	name := string(x.name)
	own := sw.edits
	switch {
	case name == "sheetViews" && own.freeze != nil:
		sw.frozen = true
	case name == "mergeCells" && own.hasMerged, name == "autoFilter" && own.filter != nil:
		// written anew
	case own.objects.wants(name):
	case !sw.refs && !own.unselect:
		return nil
	}
	return x.rewriteElements(2, func(n *node) ([]*node, error) {
		if n.name == "mergeCells" && own.hasMerged || n.name == "autoFilter" && own.filter != nil {
			return nil, nil
		}
		if own.objects.wants(n.name) && !own.objects.in(n, sw.prefix) {
			return nil, nil
		}
		if n.name == "tableParts" {
			sw.keepTables(n)
			if n.elements() == 0 {
				return nil, nil
			}
			return []*node{n}, nil
		}
		if own.unselect && !sw.unselected(n) {
			return nil, nil
		}
		ok, err := sw.follower.node(n)
		if !ok || err != nil {
			return nil, err
		}
		if n.name == "sheetViews" && own.freeze != nil {
			sw.freezeIn(n)
		}
		return []*node{n}, nil
	})
}

// keepTables leaves out the tables that are none any more.
func (sw *sheetWriter) keepTables(n *node) {
	n.keep(func(k *node) bool {
		x := xmlScanner{attrs: k.attrs}
		return !sw.rw.leftRels[sw.s.part][x.attr("id", true)]
	})
	n.set("count", strconv.Itoa(n.elements()))
}
