package text

import (
	"fmt"
	"strings"
)

// Lines is the number of lines. A last line without a line end counts.
func (b *Buffer) Lines() (int, error) {
	if b.plain {
		return 0, fmt.Errorf("the buffer has no lines")
	}
	lines := 0
	for _, bl := range b.blocks {
		lines += bl.breaks
	}
	open, err := b.unterminated()
	if open {
		lines++
	}
	return lines, err
}

func (b *Buffer) unterminated() (bool, error) { return b.Form.unterminated(b, b.size) }

// lineStart is the offset of a line's first byte; one line more than there are starts at the end.
func (b *Buffer) lineStart(line int) (int64, error) {
	skip := line - 1 // line ends to pass
	if skip == 0 {
		return b.Form.start(), nil
	}
	off := int64(0)
	for i := range b.blocks {
		if skip > b.blocks[i].breaks {
			skip -= b.blocks[i].breaks
			off += int64(b.blocks[i].n)
			continue
		}
		data, err := b.bytes(i)
		if err != nil {
			return 0, err
		}
		at := 0
		for ; skip > 0; skip-- {
			at += b.Form.Encoding.nextBreak(data[at:], b.Form.Break)
		}
		return off + int64(at), nil
	}
	return b.size, nil
}

// All is the whole text as it is, without its byte order mark.
func (b *Buffer) All() (string, error) { return b.decode(b.Form.start(), b.size) }

// Range is lines first to last, with the line ends between them but not the last one's.
// The lines must exist.
func (b *Buffer) Range(first, last int) (string, error) {
	from, err := b.lineStart(first)
	if err != nil {
		return "", err
	}
	to, err := b.lineStart(last + 1)
	if err != nil {
		return "", err
	}
	s, err := b.decode(from, to)
	return b.Form.chomp(s), err
}

func (b *Buffer) decode(from, to int64) (string, error) {
	data := make([]byte, to-from)
	if err := readFull(b, data, from); err != nil {
		return "", err
	}
	return b.Form.Encoding.Decode(data), nil
}

// chomp takes one line end off.
func (f Form) chomp(s string) string {
	cut := strings.TrimSuffix(s, string(rune(f.Break)))
	if f.Break == '\n' && len(cut) < len(s) {
		cut = strings.TrimSuffix(cut, "\r")
	}
	return cut
}

// Lacks says which character the file's encoding could not take, so that it is UTF-8 now.
type Lacks struct {
	Encoding  Encoding // the one it was
	Character rune
}

// Write replaces the whole text. Encoding and byte order mark stay as they are if the
// encoding has every character of it; line ends are those of s.
func (b *Buffer) Write(s string) (*Lacks, error) {
	form := b.Form
	if strings.HasPrefix(s, "\uFEFF") && form.Encoding.mark() != "" {
		s = s[len("\uFEFF"):]
		form.BOM = true
	}
	var lacking *Lacks
	data, lacks, ok := form.Encoding.Encode(s)
	if !ok {
		lacking = &Lacks{form.Encoding, lacks}
		form.Encoding, data = UTF8, []byte(s)
	}
	form.Break = '\n'
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') >= 0 {
		form.Break = '\r'
	}
	form.Newline = newlineOf(s, form.Break)
	if form.BOM {
		data = append([]byte(form.Encoding.mark()), data...)
	}
	if err := b.fits(int64(len(data))); err != nil {
		return nil, err
	}
	b.Form = form
	b.setAll(data)
	return lacking, nil
}

// Replace puts the lines of content in the place of lines first to last, which must exist.
func (b *Buffer) Replace(first, last int, content string) (*Lacks, error) {
	lacks, err := b.makeRoom(content)
	if err != nil {
		return nil, err
	}
	total, err := b.Lines()
	if err != nil {
		return nil, err
	}
	from, err := b.lineStart(first)
	if err != nil {
		return nil, err
	}
	to, err := b.lineStart(last + 1)
	if err != nil {
		return nil, err
	}
	body := b.Form.lines(content)
	open, err := b.unterminated()
	if err != nil {
		return nil, err
	}
	if last == total && open { // the missing line end stays missing
		body = b.Form.open(body)
		if body == "" && first > 1 {
			if from, err = b.lastBreak(first-1, from); err != nil {
				return nil, err
			}
		}
	}
	return lacks, b.put(from, to, body)
}

// Insert puts the lines of content behind a line, or in front of all with after 0. An
// empty text takes content as it is.
func (b *Buffer) Insert(after int, content string) (*Lacks, error) {
	total, err := b.Lines()
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return b.Append(content)
	}
	lacks, err := b.makeRoom(content)
	if err != nil {
		return nil, err
	}
	at, err := b.lineStart(after + 1)
	if err != nil {
		return nil, err
	}
	body := b.Form.lines(content)
	open, err := b.unterminated()
	if err != nil {
		return nil, err
	}
	if after == total && open && body != "" {
		body = b.Form.ending(content) + b.Form.open(body)
	}
	return lacks, b.put(at, at, body)
}

// Append puts content at the very end, in the file's own line ends.
func (b *Buffer) Append(content string) (*Lacks, error) {
	if b.size == b.Form.start() {
		if content == "" {
			return nil, nil
		}
		return b.Write(content)
	}
	lacks, err := b.makeRoom(content)
	if err != nil {
		return nil, err
	}
	return lacks, b.put(b.size, b.size, b.Form.adapt(content))
}

// put encodes and splices, and learns the line end of a text that had none.
func (b *Buffer) put(from, to int64, body string) error {
	data, _, _ := b.Form.Encoding.Encode(body)
	if err := b.Splice(from, to, data); err != nil {
		return err
	}
	if b.Form.Newline == "" {
		b.Form.Newline = newlineOf(body, b.Form.Break)
	}
	return nil
}

// makeRoom turns the text into UTF-8 if its encoding lacks a character of content.
func (b *Buffer) makeRoom(content string) (*Lacks, error) {
	_, lacks, ok := b.Form.Encoding.Encode(content)
	if ok {
		return nil, nil
	}
	was := b.Form.Encoding
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	if err := b.fits(int64(len(all) + len(content))); err != nil {
		return nil, err
	}
	b.Form.Encoding = UTF8 // \n and \r are the same bytes in it
	b.setAll([]byte(all))
	return &Lacks{was, lacks}, nil
}

// lastBreak steps back over the end of a line, which is at off. An empty line needs its
// end in order to be a line.
func (b *Buffer) lastBreak(line int, off int64) (int64, error) {
	start, err := b.lineStart(line)
	if err != nil {
		return 0, err
	}
	unit := int64(b.Form.Encoding.unit())
	tail, err := b.decode(max(start, off-2*unit), off)
	if err != nil {
		return 0, err
	}
	cut := off - int64(len(tail)-len(b.Form.chomp(tail)))*unit
	if cut == start {
		return off, nil
	}
	return cut, nil
}

// ending is the line end for new lines: the file's, or that of the content that is the
// first to bring one.
func (f Form) ending(content string) string {
	switch {
	case f.Newline != "":
		return f.Newline
	case strings.Contains(content, "\r\n"):
		return "\r\n"
	}
	return "\n"
}

// lines gives content as whole lines in the file's line ends: "" is none, and one line
// end at the end of content is not a further line.
func (f Form) lines(content string) string {
	body := f.adapt(content)
	if body == "" || strings.HasSuffix(body, string(rune(f.Break))) {
		return body
	}
	return body + f.ending(content)
}

// open takes the last line end off whole lines, unless the last line is empty and would
// be no line without it.
func (f Form) open(body string) string {
	cut := f.chomp(body)
	if cut == "" || strings.HasSuffix(cut, string(rune(f.Break))) {
		return body
	}
	return cut
}

// adapt turns content's line ends into the file's.
func (f Form) adapt(content string) string {
	if f.Newline == "" || f.Newline == "\n" && !strings.Contains(content, "\r\n") {
		return content
	}
	content = strings.ReplaceAll(content, "\r\n", "\n")
	return strings.ReplaceAll(content, "\n", f.Newline)
}

// newlineOf tells how most lines of s end, as far as lines end with stop.
func newlineOf(s string, stop byte) string {
	newline := Form{}.newline([]byte(s))
	if newline == "\r" && stop == '\n' {
		return ""
	}
	return newline
}
