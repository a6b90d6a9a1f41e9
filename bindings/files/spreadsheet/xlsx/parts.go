package xlsx

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

// contentTypes tells of parts what they are, by name in lower case and by extension.
type contentTypes struct {
	names      map[string]string
	extensions map[string]string
}

func (wb *Workbook) contentTypes(ctx context.Context) (*contentTypes, error) {
	types := &contentTypes{map[string]string{}, map[string]string{}}
	p := wb.archive.find("[Content_Types].xml")
	if p == nil {
		return types, nil
	}
	err := wb.scan(ctx, p, func(x *xmlScanner) error {
		for n := 0; ; {
			if err := x.next(); err != nil {
				return err
			}
			switch {
			case x.kind == endOfPart:
				return nil
			case x.kind != startTag:
			case n > 2*maxParts:
				return tooComplex("the workbook lists more than %d types of parts", n)
			case string(x.name) == "Override":
				n++
				types.names[strings.ToLower(cleanName(x.get("PartName")))] = x.get("ContentType")
			case string(x.name) == "Default":
				n++
				types.extensions[strings.ToLower(x.get("Extension"))] = x.get("ContentType")
			}
		}
	})
	return types, err
}

// of gives a part's content type.
func (t *contentTypes) of(name string) string {
	if own := t.names[strings.ToLower(name)]; own != "" {
		return own
	}
	return t.extensions[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}

// kindOf is the word of a content type that tells the parts that hold references apart.
func (t *contentTypes) kindOf(name string) string {
	full := t.of(name)
	for _, k := range []struct{ suffix, kind string }{
		{"drawingml.chart+xml", "chart"}, {"chartex+xml", "chart"}, {"spreadsheetml.table+xml", "table"},
		{"pivotCacheDefinition+xml", "pivotCache"}, {"controlproperties+xml", "control"}, {".drawing+xml", "drawing"},
	} {
		if strings.HasSuffix(full, k.suffix) {
			return k.kind
		}
	}
	return ""
}

// partsOf lists the parts that a part has relationships of some kinds to, by name.
func (wb *Workbook) partsOf(ctx context.Context, of *part, kinds ...string) ([]*part, error) {
	rels, err := wb.relationships(ctx, of.name)
	if err != nil {
		return nil, err
	}
	var list []*part
	for _, rel := range rels {
		if !slices.Contains(kinds, rel.kind) {
			continue
		}
		if p := wb.archive.find(resolve(of.name, rel.target)); p != nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *part) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// all reads a part whole.
func (wb *Workbook) all(ctx context.Context, p *part) ([]byte, error) {
	b, err := wb.archive.open(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	defer b.close()
	src, _, err := asUTF8(b)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(src, maxToken+1))
	if err == nil && len(text) > maxToken {
		err = tooComplex("the workbook's part %q has more than %d MB", clip(p.name), maxToken>>20)
	}
	return text, err
}

// tree reads a part whole, and gives its outermost element.
func (wb *Workbook) tree(ctx context.Context, p *part) (*node, error) {
	list, err := wb.trees(ctx, p)
	if err != nil {
		return nil, err
	}
	if root := rootOf(list); root != nil {
		return root, nil
	}
	return nil, damaged("the workbook's part %q is empty", clip(p.name))
}

func (wb *Workbook) trees(ctx context.Context, p *part) ([]*node, error) {
	text, err := wb.all(ctx, p)
	if err != nil {
		return nil, err
	}
	return parseXML(text)
}

func rootOf(list []*node) *node {
	for _, n := range list {
		if n.name != "" {
			return n
		}
	}
	return nil
}

// whole changes a part that is read whole.
func (rw *rewriter) whole(p *part, fn func(root *node) error) {
	if p == nil {
		return
	}
	rw.changed[p] = func(w *bufio.Writer) error {
		list, err := rw.wb.trees(rw.ctx, p)
		if err != nil {
			return err
		}
		if root := rootOf(list); root != nil {
			if err := fn(root); err != nil {
				return err
			}
		}
		_, err = w.WriteString(xmlText(list))
		return err
	}
}
