package lang

import "strings"

// dialect is how a CSV text is written.
type dialect struct {
	delimiter string // one character, possibly of several bytes
	quote     byte   // 0 for none
	trim      bool   // spaces around unquoted cells
	skipEmpty bool   // lines with nothing in them
}

// cell is one cell of a row. Quoted cells are text whatever they look like.
type cell struct {
	text   string
	quoted bool
}

// csvReader reads RFC 4180 as the world writes it: CRLF, LF or CR ends a line, a quoted cell
// may hold line ends and doubled quotes, a quote inside an unquoted cell is itself, and
// rows may differ in length.
type csvReader struct {
	dialect
	src string
	pos int
	row []cell // reused
}

// unterminated says at which byte a quoted cell began that never ends.
type unterminated int

// next gives the next row, valid until the call after it; ok is false at the end.
func (c *csvReader) next() (row []cell, ok bool, open unterminated) {
	for c.pos < len(c.src) {
		row, open := c.line()
		if open >= 0 {
			return nil, false, open
		}
		if c.skipEmpty && blank(row) {
			continue
		}
		return row, true, -1
	}
	return nil, false, -1
}

func blank(row []cell) bool {
	for _, cell := range row {
		if cell.quoted || strings.TrimSpace(cell.text) != "" {
			return false
		}
	}
	return true
}

func (c *csvReader) line() (row []cell, open unterminated) {
	c.row = c.row[:0]
	for {
		cell, more, open := c.cell()
		if open >= 0 {
			return nil, open
		}
		c.row = append(c.row, cell)
		if !more {
			return c.row, -1
		}
	}
}

// cell reads one cell and what ends it; more tells whether that was a delimiter.
func (c *csvReader) cell() (read cell, more bool, open unterminated) {
	at := c.pos
	if c.trim {
		for at < len(c.src) && (c.src[at] == ' ' || c.src[at] == '\t') && !strings.HasPrefix(c.src[at:], c.delimiter) {
			at++
		}
	}
	if c.quote != 0 && at < len(c.src) && c.src[at] == c.quote {
		text, end, closed := c.quoted(at + 1)
		if !closed {
			return cell{}, false, unterminated(at)
		}
		rest, more := c.plain(end)
		if strings.TrimSpace(rest) != "" { // "a"b: keep what was written
			text += rest
		}
		return cell{text, true}, more, -1
	}
	text, more := c.plain(c.pos)
	if c.trim {
		text = strings.TrimSpace(text)
	}
	return cell{text, false}, more, -1
}

// plain reads up to the next delimiter or line end, and past it.
func (c *csvReader) plain(from int) (text string, more bool) {
	first := c.delimiter[0]
	for i := from; i < len(c.src); i++ {
		switch b := c.src[i]; {
		case b == first && strings.HasPrefix(c.src[i:], c.delimiter):
			c.pos = i + len(c.delimiter)
			return c.src[from:i], true
		case b == '\n':
			c.pos = i + 1
			return c.src[from:i], false
		case b == '\r':
			c.pos = i + 1
			if c.pos < len(c.src) && c.src[c.pos] == '\n' {
				c.pos++
			}
			return c.src[from:i], false
		}
	}
	c.pos = len(c.src)
	return c.src[from:], false
}

// quoted reads from after the opening quote to after the closing one.
func (c *csvReader) quoted(from int) (text string, end int, closed bool) {
	var joined strings.Builder
	for {
		i := strings.IndexByte(c.src[from:], c.quote)
		if i < 0 {
			return "", 0, false
		}
		part := c.src[from : from+i]
		after := from + i + 1
		if after < len(c.src) && c.src[after] == c.quote {
			joined.WriteString(part)
			joined.WriteByte(c.quote)
			from = after + 1
			continue
		}
		if joined.Len() == 0 {
			return part, after, true
		}
		joined.WriteString(part)
		return joined.String(), after, true
	}
}

// guessDelimiter looks at the first lines: the candidate that splits the most of them
// into the same number of cells wins, a comma if none does.
func guessDelimiter(src string, quote byte) string {
	const lines = 20
	best, bestScore := ",", 0
	for _, candidate := range []string{",", ";", "\t", "|"} {
		reader := csvReader{dialect: dialect{delimiter: candidate, quote: quote, skipEmpty: true}, src: src}
		counts := map[int]int{}
		for range lines {
			row, ok, _ := reader.next()
			if !ok {
				break
			}
			counts[len(row)]++
		}
		for width, n := range counts {
			if score := n * n * (width - 1); width > 1 && score > bestScore {
				best, bestScore = candidate, score
			}
		}
	}
	return best
}
