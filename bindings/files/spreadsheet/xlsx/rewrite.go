package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// compression is that of parts that change: 100 MB/s and within a tenth of Excel's size.
const compression = 4

// Rewrite writes the workbook with its edits. Parts without edits are copied as they
// are, compressed; in those with edits everything but the cells in question stays to the
// byte. The results of formulas are marked to be computed when the workbook is opened.
func (wb *Workbook) Rewrite(ctx context.Context, w io.Writer, e *Edits) error {
	rw := &rewriter{wb: wb, ctx: ctx, changed: map[*part]func(*bufio.Writer) error{},
		visits: map[*part][]func(*xmlScanner) error{}, left: map[*part]bool{}}
	if err := rw.plan(e); err != nil {
		return err
	}
	return rw.write(w)
}

// rewriter holds what becomes of each part.
type rewriter struct {
	wb      *Workbook
	ctx     context.Context
	styles  *stylePatch
	changed map[*part]func(*bufio.Writer) error
	visits  map[*part][]func(*xmlScanner) error
	left    map[*part]bool // parts that are left out
}

func (rw *rewriter) plan(e *Edits) error {
	wb := rw.wb
	styles, err := wb.newStylePatch(rw.ctx)
	if err != nil {
		return err
	}
	rw.styles = styles
	for i, edits := range e.sheets {
		s, err := wb.worksheetOf(i)
		if err != nil {
			return err
		}
		edits := edits
		if _, err := s.survey.get(rw.ctx, s); err != nil && s.part.inflated <= smallSheet {
			return err
		}
		rw.changed[s.part] = func(w *bufio.Writer) error { return rw.sheet(s, edits, w) }
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
		rw.visit(rels, insertAtEnd(`Relationship Id="rIdStyles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="/`+styles.newName+`"/>`))
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

// insertAtEnd adds an element, given without its <, at the end of the part's root.
func insertAtEnd(element string) func(x *xmlScanner) error {
	return func(x *xmlScanner) error {
		if x.kind != endTag || x.depth != 0 || x.kept == x.r {
			return nil
		}
		tag := x.tagText()
		return x.replaceTag("<" + prefixOf(tag) + element + tag)
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
	if rw.styles.part != nil {
		p := rw.styles.part
		if len(rw.styles.made) == 0 {
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

// dropElement leaves out the elements of a name that which points at.
func dropElement(name string, which func(x *xmlScanner) bool) func(x *xmlScanner) error {
	return func(x *xmlScanner) error {
		if x.kind == startTag && string(x.name) == name && which(x) {
			if err := x.skip(); err != nil {
				return err
			}
			x.drop()
		}
		return nil
	}
}

// markForCalculation makes programs compute all formulas when they open the workbook.
func markForCalculation() func(x *xmlScanner) error {
	// Elements that come behind calcPr, where it would have to stand.
	behind := " oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes webPublishing fileRecoveryPr webPublishObjects extLst "
	done := false
	return func(x *xmlScanner) error {
		switch {
		case done:
		case x.kind == startTag && x.depth == 2 && string(x.name) == "calcPr":
			done = true
			return x.replaceTag(setAttr(x.tagText(), "fullCalcOnLoad", "1"))
		case x.kind == startTag && x.depth == 2 && strings.Contains(behind, " "+string(x.name)+" "),
			x.kind == endTag && x.depth == 0:
			done = true
			tag := x.tagText()
			return x.replaceTag("<" + prefixOf(tag) + `calcPr fullCalcOnLoad="1"/>` + tag)
		}
		return nil
	}
}

// tagText gives the tag that next has read, as it stands in the part.
func (x *xmlScanner) tagText() string {
	b := x.buf[x.kept:x.r]
	return string(b[bytes.LastIndexByte(b, '<'):])
}

// replaceTag copies another text in place of the tag that next has read.
func (x *xmlScanner) replaceTag(text string) error {
	tag := x.tagText()
	if _, err := x.copy.Write(x.buf[x.kept : x.r-len(tag)]); err != nil {
		return err
	}
	x.drop()
	_, err := x.copy.WriteString(text)
	return err
}

// insertBefore copies a text in front of the tag that next has read.
func (x *xmlScanner) insertBefore(text string) error {
	at := x.r - len(x.tagText())
	if _, err := x.copy.Write(x.buf[x.kept:at]); err != nil {
		return err
	}
	x.kept = at
	_, err := x.copy.WriteString(text)
	return err
}

// prefixOf gives the prefix of a tag's name with its colon, "" if it has none.
func prefixOf(tag string) string {
	name := strings.TrimLeft(tag, "</")
	if end := strings.IndexAny(name, " \t\r\n/>"); end >= 0 {
		name = name[:end]
	}
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return name[:i+1]
	}
	return ""
}

// setAttr sets an attribute without a prefix in a start tag's text; "" removes it.
func setAttr(tag, name, value string) string {
	end := strings.IndexAny(tag, " \t\r\n/>")
	if end < 0 {
		return tag
	}
	head, attrs := tag[:end], tag[end:]
	tail := ">"
	attrs = strings.TrimSuffix(attrs, ">")
	if strings.HasSuffix(attrs, "/") {
		attrs, tail = strings.TrimSuffix(attrs, "/"), "/>"
	}
	var out strings.Builder
	out.WriteString(head)
	for rest := []byte(attrs); ; {
		key, val, more, ok := nextAttr(rest)
		if !ok {
			break
		}
		if string(key) != name {
			quote := `"`
			if bytes.IndexByte(val, '"') >= 0 {
				quote = "'"
			}
			out.WriteString(" " + string(key) + "=" + quote + string(val) + quote)
		}
		rest = more
	}
	if value != "" {
		out.WriteString(" " + name + `="` + escapeXML(value) + `"`)
	}
	return out.String() + tail
}

// escapeXML writes a text for an attribute or an element. What XML cannot hold is
// written as _xHHHH_.
func escapeXML(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		switch c := s[i]; {
		case c < 0x20 && c != '\n' && c != '\t', c == '&', c == '<', c == '>', c == '"', c == 0xef:
			plain = false
		case c == '_' && i+1 < len(s) && s[i+1] == 'x':
			plain = false
		}
	}
	if plain {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == '&':
			out.WriteString("&amp;")
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '"':
			out.WriteString("&quot;")
		case r < 0x20 && r != '\n' && r != '\t', r == 0xfffe, r == 0xffff:
			const hex = "0123456789ABCDEF"
			out.WriteString("_x" + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}) + "_")
		case r == '_':
			if _, escape := escapedUnit([]byte(s[i:])); escape {
				out.WriteString("_x005F_")
			} else {
				out.WriteByte('_')
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// grown gives a dimension with the cells of the edits in it.
func grown(claim string, used sheet.Range) string {
	r, err := sheet.ParseRange(claim)
	if err != nil || claim == "" || r.MaxRow == sheet.Unbounded || r.MaxCol == sheet.Unbounded {
		return used.String()
	}
	r.Include(used.MinCol, used.MinRow)
	r.Include(used.MaxCol, used.MaxRow)
	return r.String()
}
