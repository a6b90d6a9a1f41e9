package xlsx

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// asUTF8 gives an XML part's bytes as UTF-8, whatever encoding it is in. same says that
// they are what the part has, so that offsets in them are offsets in the part; if they
// are not, the declaration that names the encoding is left out.
func asUTF8(src io.Reader) (r io.Reader, same bool, err error) {
	head := make([]byte, 256)
	n, err := io.ReadFull(src, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, false, err
	}
	head = head[:n]
	whole := io.MultiReader(bytes.NewReader(head), src)
	enc := encodingOf(head)
	if enc == nil {
		return whole, true, nil
	}
	decoded := enc.NewDecoder().Reader(whole)
	head = make([]byte, 256)
	if n, err = io.ReadFull(decoded, head); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, false, err
	}
	head = bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
	if end := bytes.Index(head, piEnd); end >= 0 && bytes.HasPrefix(head, []byte("<?xml")) {
		head = head[end+len(piEnd):]
	}
	return io.MultiReader(bytes.NewReader(head), decoded), false, nil
}

// encodingOf looks at a part's first bytes; nil is UTF-8.
func encodingOf(head []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("<\x00")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")), bytes.HasPrefix(head, []byte("\x00<")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	end := bytes.Index(head, piEnd)
	if end < 0 || !bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("<?xml")) {
		return nil
	}
	for rest := head[bytes.Index(head, []byte("<?xml"))+5 : end]; ; {
		name, value, tail, ok := nextAttr(rest)
		if !ok {
			return nil
		}
		rest = tail
		if string(name) != "encoding" {
			continue
		}
		// A declaration that says UTF-16 in bytes that are not is mistaken.
		label := strings.ToLower(string(value))
		if strings.HasPrefix(label, "utf") || strings.HasPrefix(label, "us-ascii") {
			return nil
		}
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil
		}
		return enc
	}
}
