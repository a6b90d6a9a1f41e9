package xlsx

import (
	"bytes"
	"io"
	"strconv"
	"unicode/utf8"
)

// tokenKind is what an xmlScanner found.
type tokenKind uint8

const (
	startTag tokenKind = iota + 1
	endTag
	charData
	endOfPart
)

// xmlScanner reads the tags and texts of a part, without its comments, instructions and
// document type. Names are given without their prefix: the parts of a workbook are told
// apart by where an element stands, and both namespaces of the standard name them alike.
// It checks no more well-formedness than it needs; a closing tag is taken for that of
// the innermost element.
type xmlScanner struct {
	*stream
	kind  tokenKind
	name  []byte // of a tag; valid until the next call of next
	attrs []byte // the raw attributes of a start tag
	text  []byte // of charData, with entities replaced
	empty bool   // the start tag was also its end; an endTag follows
	depth int    // elements open, that of a start tag included
	owed  bool   // the endTag of an empty element is due
}

var (
	commentEnd = []byte("-->")
	cdataEnd   = []byte("]]>")
	piEnd      = []byte("?>")
)

// next moves to the next token.
func (x *xmlScanner) next() error {
	if x.owed {
		x.owed, x.kind = false, endTag
		x.depth--
		return nil
	}
	for {
		if ok, err := x.want(1); err != nil {
			return err
		} else if !ok {
			x.kind = endOfPart
			return nil
		}
		if x.buf[x.r] != '<' {
			n, err := x.find([]byte("<"), 0)
			if err != nil {
				return err
			}
			if n < 0 {
				n = x.w - x.r
			}
			x.kind, x.text = charData, unescape(x.buf[x.r:x.r+n])
			x.r += n
			return nil
		}
		if ok, err := x.want(2); err != nil {
			return err
		} else if !ok {
			return damaged("a part of the workbook ends within a tag")
		}
		switch x.buf[x.r+1] {
		case '!':
			if isText, err := x.declaration(); err != nil || isText {
				return err
			}
		case '?':
			if ok, err := x.discardThrough(piEnd); err != nil || !ok {
				return unlessEOF(err)
			}
		case '/':
			n, err := x.find([]byte(">"), 0)
			if err != nil || n < 0 {
				return unlessEOF(err)
			}
			x.kind, x.name = endTag, localName(bytes.TrimRight(x.buf[x.r+2:x.r+n], " \t\r\n"))
			x.r += n + 1
			x.depth--
			return nil
		default:
			return x.start()
		}
	}
}

func unlessEOF(err error) error {
	if err == nil || err == io.EOF {
		return damaged("a part of the workbook ends within a tag")
	}
	return err
}

// start reads a start tag. A > within a quoted value does not end it.
func (x *xmlScanner) start() error {
	i := 1
	var quote byte
	for {
		for ; x.r+i < x.w; i++ {
			switch c := x.buf[x.r+i]; {
			case c == '<':
				return damaged("a part of the workbook is not well-formed")
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '>':
				tag := x.buf[x.r+1 : x.r+i]
				x.r += i + 1
				x.empty = len(tag) > 0 && tag[len(tag)-1] == '/'
				if x.empty {
					tag = tag[:len(tag)-1]
				}
				end := bytes.IndexAny(tag, " \t\r\n")
				if end < 0 {
					end = len(tag)
				}
				x.kind, x.name, x.attrs, x.owed = startTag, localName(tag[:end]), tag[end:], x.empty
				x.depth++
				return nil
			}
		}
		if err := x.fill(); err != nil {
			return unlessEOF(err)
		}
	}
}

// declaration passes a comment or a document type; the text of a CDATA section is a token.
func (x *xmlScanner) declaration() (isText bool, err error) {
	if ok, err := x.want(9); err == nil && ok && string(x.buf[x.r:x.r+9]) == "<![CDATA[" {
		n, err := x.find(cdataEnd, 9)
		if err != nil || n < 0 {
			return false, unlessEOF(err)
		}
		x.kind, x.text = charData, x.buf[x.r+9:x.r+n]
		x.r += n + 3
		return true, nil
	} else if err != nil {
		return false, err
	}
	if x.w-x.r >= 4 && string(x.buf[x.r:x.r+4]) == "<!--" {
		x.r += 4
		ok, err := x.discardThrough(commentEnd)
		if err != nil || !ok {
			return false, unlessEOF(err)
		}
		return false, nil
	}
	// A document type may hold declarations in brackets; what they define is not used.
	end := []byte(">")
	n, err := x.find(end, 0)
	if err != nil || n < 0 {
		return false, unlessEOF(err)
	}
	if bytes.IndexByte(x.buf[x.r:x.r+n], '[') >= 0 {
		end = []byte("]>")
	}
	ok, err := x.discardThrough(end)
	if err != nil || !ok {
		return false, unlessEOF(err)
	}
	return false, nil
}

// skip moves behind the end of the element whose start tag was read last.
func (x *xmlScanner) skip() error {
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return err
		}
		if x.kind == endOfPart || x.kind == endTag && x.depth < depth {
			return nil
		}
	}
}

// attr gives an attribute by its local name, "" if there is none. One that has a prefix
// is preferred when prefixed is asked for (r:id beside id), and passed over otherwise.
func (x *xmlScanner) attr(local string, prefixed bool) string {
	found := ""
	for rest := x.attrs; ; {
		name, value, tail, ok := nextAttr(rest)
		if !ok {
			return found
		}
		rest = tail
		own := localName(name)
		if string(own) != local {
			continue
		}
		if (len(own) != len(name)) == prefixed {
			return string(unescape(value))
		}
		if prefixed {
			found = string(unescape(value))
		}
	}
}

// get is attr for one without a prefix.
func (x *xmlScanner) get(local string) string { return x.attr(local, false) }

// number gives an attribute that is a whole number, or missing.
func (x *xmlScanner) number(local string, missing int) int {
	if n, err := strconv.Atoi(x.get(local)); err == nil {
		return n
	}
	return missing
}

// flag gives an attribute that is a boolean, or missing.
func (x *xmlScanner) flag(local string, missing bool) bool {
	switch x.get(local) {
	case "1", "true", "on":
		return true
	case "0", "false", "off":
		return false
	}
	return missing
}

// nextAttr splits the first attribute off.
func nextAttr(raw []byte) (name, value, rest []byte, ok bool) {
	i := 0
	for i < len(raw) && isSpace(raw[i]) {
		i++
	}
	eq := bytes.IndexByte(raw[i:], '=')
	if eq < 0 {
		return nil, nil, nil, false
	}
	name = bytes.TrimRight(raw[i:i+eq], " \t\r\n")
	i += eq + 1
	for i < len(raw) && isSpace(raw[i]) {
		i++
	}
	if i >= len(raw) || raw[i] != '"' && raw[i] != '\'' {
		return nil, nil, nil, false
	}
	end := bytes.IndexByte(raw[i+1:], raw[i])
	if end < 0 {
		return nil, nil, nil, false
	}
	return name, raw[i+1 : i+1+end], raw[i+2+end:], true
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func localName(name []byte) []byte {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// unescape replaces entities and line ends as XML wants it. It answers raw itself when
// there is nothing to replace.
func unescape(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '\r':
			if i+1 < len(raw) && raw[i+1] == '\n' {
				continue
			}
			out = append(out, '\n')
		case '&':
			end := bytes.IndexByte(raw[i:min(len(raw), i+12)], ';')
			if end < 0 {
				out = append(out, c)
				continue
			}
			if r, ok := entity(raw[i+1 : i+end]); ok {
				out = utf8.AppendRune(out, r)
				i += end
				continue
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

func entity(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, false
	}
	return rune(n), true
}

// unescapeX replaces _xHHHH_, by which the standard writes characters that XML cannot
// hold; _x005F_ is an underscore that would otherwise begin one. Surrogates come in pairs.
func unescapeX(text []byte) []byte {
	if i := bytes.Index(text, []byte("_x")); i < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	var high rune // a surrogate that waits for its other half
	for i := 0; i < len(text); {
		unit, ok := escapedUnit(text[i:])
		if !ok {
			high = 0
			out = append(out, text[i])
			i++
			continue
		}
		i += 7
		switch {
		case 0xdc00 <= unit && unit <= 0xdfff && high != 0:
			out = utf8.AppendRune(out[:len(out)-3], (high-0xd800)<<10|(unit-0xdc00)+0x10000)
			high = 0
		case 0xd800 <= unit && unit <= 0xdbff:
			high = unit
			out = utf8.AppendRune(out, utf8.RuneError) // 3 bytes, replaced by the pair
		default:
			high = 0
			out = utf8.AppendRune(out, unit)
		}
	}
	return out
}

func escapedUnit(text []byte) (rune, bool) {
	if len(text) < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
