package xlsx

import (
	"bytes"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

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
			return x.insertBefore("<" + prefixOf(x.tagText()) + `calcPr fullCalcOnLoad="1"/>`)
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

// setAttr sets an attribute without a prefix in a start tag's text, in its place if it
// is there; "" removes it.
func setAttr(tag, name, value string) string {
	end := strings.IndexAny(tag, " \t\r\n/>")
	if end < 0 {
		return tag
	}
	if at, length := attrPlace([]byte(tag[end:]), name); value != "" && length >= 0 {
		at += end
		return tag[:at-1] + `"` + escapeXML(value) + `"` + tag[at+length+1:]
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
