package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// column is a <col> element: columns first to last and its other attributes.
type column struct {
	first, last int
	tag         string
}

// cols replaces the cols element, whose start tag was read last, by one with the new widths.
func (sw *sheetWriter) cols(x *xmlScanner) error {
	if err := x.replaceTag(""); err != nil {
		return err
	}
	var list []column
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return err
		}
		if x.kind == endOfPart || x.kind == endTag && x.depth < depth {
			break
		}
		if x.kind == startTag && string(x.name) == "col" {
			if len(list) > sheet.MaxCol {
				return tooComplex("the sheet %q has too many columns", clip(sw.s.info.Name))
			}
			list = append(list, column{x.number("min", 1), min(x.number("max", 1), sheet.MaxCol), x.tagText()})
		}
		x.drop()
	}
	x.drop()
	_, err := x.copy.WriteString(colsXML(sw.prefix, movedColumns(list, sw.columns), sw.edits.widths))
	return err
}

// movedColumns gives column elements with the columns where they are now; new ones are
// like the one that they were inserted behind, but never hidden.
func movedColumns(list []column, a *axis) []column {
	if a == nil {
		return list
	}
	var out []column
	a.index()
	for i, p := range a.pieces {
		begin := a.begins[i]
		if begin > sheet.MaxCol {
			break
		}
		for _, c := range list {
			if p.old > 0 {
				from, to := max(c.first, p.old), min(c.last, p.old+p.count-1)
				if from <= to {
					out = append(out, column{begin + from - p.old, min(begin+to-p.old, sheet.MaxCol), c.tag})
				}
			} else if c.first <= p.like && p.like <= c.last {
				tag := setAttr(setAttr(c.tag, "hidden", ""), "collapsed", "")
				out = append(out, column{begin, min(begin+p.count-1, sheet.MaxCol), tag})
			}
		}
	}
	return out
}

// colsXML gives a cols element: what there was, with new widths laid over it.
func colsXML(prefix string, list []column, widths []columnWidth) string {
	for _, w := range widths {
		var next []column
		covered := w.first // the first column of the new width that has no element yet
		for _, c := range list {
			if c.last < w.first || c.first > w.last {
				next = append(next, c)
				continue
			}
			if c.first < w.first {
				next = append(next, column{c.first, w.first - 1, c.tag})
			}
			if covered < c.first {
				next = append(next, column{covered, c.first - 1, "<" + prefix + "col/>"})
			}
			from, to := max(c.first, w.first), min(c.last, w.last)
			next = append(next, column{from, to, setAttr(c.tag, "hidden", "")})
			covered = to + 1
			if c.last > w.last {
				next = append(next, column{w.last + 1, c.last, c.tag})
			}
		}
		if covered <= w.last {
			next = append(next, column{covered, w.last, "<" + prefix + "col/>"})
		}
		for i := range next {
			if next[i].first >= w.first && next[i].last <= w.last {
				next[i].tag = setAttr(setAttr(next[i].tag, "width", number(w.width)), "customWidth", "1")
			}
		}
		list = next
	}
	list = slices.DeleteFunc(list, func(c column) bool { return c.first > c.last })
	if len(list) == 0 {
		return "" // the element must not be empty
	}
	slices.SortFunc(list, func(a, b column) int { return a.first - b.first })
	var out strings.Builder
	fmt.Fprintf(&out, "<%scols>", prefix)
	for _, c := range list {
		tag := setAttr(setAttr(c.tag, "min", strconv.Itoa(c.first)), "max", strconv.Itoa(c.last))
		out.WriteString(strings.TrimSuffix(strings.TrimSuffix(tag, ">"), "/") + "/>")
	}
	fmt.Fprintf(&out, "</%scols>", prefix)
	return out.String()
}
