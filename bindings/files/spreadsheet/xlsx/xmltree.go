package xlsx

import (
	"bytes"
	"strings"
)

// node is an element of a small piece of XML that is changed in memory, or a text. What
// is not changed is written as it was read, to the byte.
type node struct {
	name  string // without prefix; "" for a text
	tag   string // the start tag, or the text, as it stands in the part
	end   string // the end tag; "" if the start tag is also its end
	kids  []*node
	attrs []byte // of tag
}

// parseXML reads a piece of XML: elements with what stands between them.
func parseXML(text []byte) ([]*node, error) {
	x := xmlScanner{stream: &stream{buf: text[:len(text):len(text)], w: len(text), eof: true}}
	top := &node{}
	open := []*node{top}
	for {
		from := x.r
		owed := x.owed
		if err := x.next(); err != nil {
			return nil, err
		}
		raw := text[from:x.r]
		in := open[len(open)-1]
		if x.kind == startTag || x.kind == endTag && !owed {
			// What stands before the tag: comments.
			i := bytes.LastIndexByte(raw, '<')
			if i > 0 {
				in.kids = append(in.kids, &node{tag: string(raw[:i])})
			}
			raw = raw[i:]
		}
		switch x.kind {
		case endOfPart:
			if len(raw) > 0 {
				in.kids = append(in.kids, &node{tag: string(raw)})
			}
			return top.kids, nil
		case charData:
			in.kids = append(in.kids, &node{tag: string(raw)})
		case startTag:
			n := &node{name: string(x.name), tag: string(raw), attrs: bytes.Clone(x.attrs)}
			in.kids = append(in.kids, n)
			open = append(open, n)
			if len(open) > maxDepth {
				return nil, tooComplex("a part of the workbook is nested deeper than %d levels", maxDepth)
			}
		case endTag:
			if len(open) == 1 {
				return nil, damaged("a part of the workbook is not well-formed")
			}
			if !owed {
				in.end = string(raw)
			}
			open = open[:len(open)-1]
		}
	}
}

const maxDepth = 200

func writeXML(out *strings.Builder, list []*node) {
	for _, n := range list {
		out.WriteString(n.tag)
		writeXML(out, n.kids)
		out.WriteString(n.end)
	}
}

func xmlText(list []*node) string {
	var out strings.Builder
	writeXML(&out, list)
	return out.String()
}

// get gives an attribute, "" if there is none.
func (n *node) get(name string) string {
	x := xmlScanner{attrs: n.attrs}
	return x.get(name)
}

// has tells whether there is an attribute without a prefix.
func (n *node) has(name string) bool {
	for rest := n.attrs; ; {
		key, _, more, ok := nextAttr(rest)
		if !ok {
			return false
		}
		if string(key) == name {
			return true
		}
		rest = more
	}
}

// set changes an attribute; "" removes it.
func (n *node) set(name, value string) {
	if n.get(name) == value && (value != "" || !n.has(name)) {
		return
	}
	n.tag = setAttr(n.tag, name, value)
	tag := strings.TrimSuffix(strings.TrimSuffix(n.tag, ">"), "/")
	if i := strings.IndexAny(tag, " \t\r\n"); i >= 0 {
		n.attrs = []byte(tag[i:])
	} else {
		n.attrs = nil
	}
}

// prefix is that of the element's name, with its colon.
func (n *node) prefix() string { return prefixOf(n.tag) }

// text gives the element's texts together.
func (n *node) text() string {
	var out strings.Builder
	for _, k := range n.kids {
		if k.name != "" {
			continue
		}
		raw := k.tag
		if cdata, ok := strings.CutPrefix(raw, "<![CDATA["); ok {
			out.WriteString(strings.TrimSuffix(cdata, "]]>"))
		} else if !strings.HasPrefix(raw, "<") {
			out.Write(unescape([]byte(raw)))
		}
	}
	return out.String()
}

// setText replaces all that is in the element.
func (n *node) setText(text string) {
	if len(n.kids) > 0 && n.text() == text {
		return
	}
	if n.end == "" {
		n.tag = strings.TrimSuffix(strings.TrimSuffix(n.tag, ">"), "/") + ">"
		n.end = "</" + n.prefix() + n.name + ">"
	}
	n.kids = []*node{{tag: escapeText(text)}}
}

// escapeText is escapeXML without the _xHHHH_ of cells, for formulas and the like.
func escapeText(s string) string {
	if !strings.ContainsAny(s, "&<>") {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// escapeAttr is escapeText for attributes.
func escapeAttr(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "\n", "&#10;").Replace(s)
}

// child gives the first child of a name, nil if there is none.
func (n *node) child(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// elements counts the children that are not texts.
func (n *node) elements() (count int) {
	for _, k := range n.kids {
		if k.name != "" {
			count++
		}
	}
	return count
}

// keep leaves out the children that fn says no to; texts stay.
func (n *node) keep(fn func(k *node) bool) {
	kept := n.kids[:0]
	for _, k := range n.kids {
		if k.name == "" || fn(k) {
			kept = append(kept, k)
		}
	}
	n.kids = kept
}

// element makes one from XML that is known to be well-formed.
func element(xml string) *node {
	list, err := parseXML([]byte(xml))
	if err != nil || len(list) != 1 {
		panic("xlsx: bad literal " + xml)
	}
	return list[0]
}

// capture takes the element whose start tag was read last out of a part that is copied,
// with all that is in it.
func (x *xmlScanner) capture() ([]byte, error) {
	if err := x.skip(); err != nil {
		return nil, err
	}
	text := bytes.Clone(x.buf[x.kept:x.r])
	x.drop()
	return text, nil
}

// rewriteElements copies a part; each element at a depth goes through fn, which answers
// the nodes to write in its place.
func (x *xmlScanner) rewriteElements(depth int, fn func(n *node) ([]*node, error)) error {
	if x.kind != startTag || x.depth != depth {
		return nil
	}
	text, err := x.capture()
	if err != nil {
		return err
	}
	list, err := parseXML(text)
	if err != nil {
		return err
	}
	for _, n := range list {
		out := []*node{n}
		if n.name != "" {
			if out, err = fn(n); err != nil {
				return err
			}
		}
		if _, err := x.copy.WriteString(xmlText(out)); err != nil {
			return err
		}
	}
	return nil
}
