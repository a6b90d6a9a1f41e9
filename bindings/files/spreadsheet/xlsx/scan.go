package xlsx

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync"
)

// rowScanner cuts a sheet's XML into rows. Rows that nobody wants cost a search for
// their end and no more.
type rowScanner struct {
	xmlScanner
	body    *body
	index   *rowIndex
	indexed bool // offsets in the stream are offsets in the part

	row      int // number of the row that next found, or of the last one before a point
	disorder bool
	closer   []byte // the closing tag of rows without its >
	pending  *point // waits for the first row behind its checkpoint
	checked  int64  // offset at which a point was last considered

	unread bool   // the row is to be found once more
	again  []byte // its cells

	windows *sync.Pool // where window goes when the scanner is closed
	window  *[]byte
}

// newScanner opens a sheet between two rows: at a point, or before the first row. ok is
// false if the sheet has no rows at all.
func (s *worksheet) newScanner(ctx context.Context, at *point) (rs *rowScanner, ok bool, err error) {
	var from *checkpoint
	if at != nil {
		from = &at.at
	}
	b, err := s.wb.archive.open(ctx, s.part, from)
	if err != nil {
		return nil, false, err
	}
	windows := &s.wb.streams
	rs = &rowScanner{body: b, index: &s.index, windows: windows, window: windows.Get().(*[]byte)}
	if at != nil {
		rs.stream = newStream(b, *rs.window)
		rs.base, rs.row, rs.indexed, rs.depth = at.at.offset, at.row, true, 2
		rs.checked = at.at.offset
		return rs, true, rs.discard(at.skip)
	}
	src, same, err := asUTF8(b)
	if err != nil {
		return rs, false, err
	}
	rs.stream, rs.indexed = newStream(src, *rs.window), same
	for root := false; ; root = root || rs.kind == startTag {
		if err := rs.next(); err != nil {
			return rs, false, err
		}
		switch {
		case rs.kind == endOfPart:
			if rs.depth > 0 || !root {
				return rs, false, damaged("the sheet %q ends too early", clip(s.info.Name))
			}
			return rs, false, nil
		case rs.kind == startTag && string(rs.name) == "sheetData":
			return rs, !rs.empty, nil
		}
	}
}

// nextRow finds the next row. Its cells are XML in cells, valid until the next call. ok
// is false behind the last row.
func (rs *rowScanner) nextRow() (cells []byte, ok bool, err error) {
	if rs.unread {
		rs.unread = false
		return rs.again, true, nil
	}
	if rs.indexed {
		rs.markPoint()
	}
	for {
		// To the next tag; between rows there is only white space.
		if found, err := rs.toTag(); err != nil || !found {
			return nil, false, unlessEOF(err)
		}
		switch rs.buf[rs.r+1] {
		case '/':
			err := rs.next() // </sheetData>
			return nil, false, err
		case '!', '?':
			if err := rs.passMarkup(); err != nil {
				return nil, false, err
			}
			if err := rs.passed(); err != nil {
				return nil, false, err
			}
			continue
		}
		if err := rs.start(); err != nil {
			return nil, false, err
		}
		if string(rs.name) == "row" {
			break
		}
		// Something else between rows, such as an extension.
		if err := rs.skip(); err != nil {
			return nil, false, err
		}
		if err := rs.passed(); err != nil {
			return nil, false, err
		}
	}
	before := rs.row
	numbered := false
	for rest := rs.attrs; ; {
		name, value, tail, ok := nextAttr(rest)
		if !ok {
			break
		}
		rest = tail
		if len(name) == 1 && name[0] == 'r' {
			if n, ok := atoi(value); ok {
				rs.row, numbered = n, true
			}
			break
		}
	}
	if !numbered {
		rs.row = before + 1
	}
	if rs.owed {
		rs.owed = false
		rs.depth--
		rs.noteOrder(before)
		return nil, true, nil
	}
	end, err := rs.rowEnd()
	if err != nil {
		return nil, false, err
	}
	cells = rs.buf[rs.r : rs.r+end]
	if !numbered {
		// The cells may know better.
		if n := firstCellRow(cells); n > 0 {
			rs.row = n
		}
	}
	rs.noteOrder(before)
	gt := bytes.IndexByte(rs.buf[rs.r+end:rs.w], '>')
	rs.r += end + gt + 1
	rs.depth--
	return cells, true, nil
}

// unreadRow makes nextRow find the row that it found last, with these cells, once more.
func (rs *rowScanner) unreadRow(cells []byte) { rs.unread, rs.again = true, cells }

// passed copies what stands between rows, if the sheet is being copied.
func (rs *rowScanner) passed() error {
	if rs.copy == nil {
		return nil
	}
	return rs.flush()
}

func (rs *rowScanner) noteOrder(before int) {
	if rs.row <= before {
		rs.disorder = true
	}
}

// toTag moves to the next < with a byte behind it.
func (rs *rowScanner) toTag() (bool, error) {
	for {
		if i := bytes.IndexByte(rs.buf[rs.r:rs.w], '<'); i >= 0 {
			rs.r += i
			return rs.want(2)
		}
		rs.r = rs.w
		if ok, err := rs.want(1); err != nil || !ok {
			return false, err
		}
	}
}

// passMarkup moves behind a comment, an instruction or the like.
func (rs *rowScanner) passMarkup() error {
	if rs.buf[rs.r+1] == '?' {
		if ok, err := rs.discardThrough(piEnd); err != nil || !ok {
			return unlessEOF(err)
		}
		return nil
	}
	_, err := rs.declaration()
	return err
}

// rowEnd finds where the closing tag of the row begins, counted from r, and makes sure
// that all of the tag is there. The row is searched for the tag's text; only one that
// has a comment or a CDATA section, which may hold that text, is read tag by tag.
func (rs *rowScanner) rowEnd() (int, error) {
	qname := rs.rowName()
	if len(rs.closer) != len(qname)+2 || string(rs.closer[2:]) != string(qname) {
		rs.closer = append(append(rs.closer[:0], '<', '/'), qname...)
	}
	end, from, clean := -1, 0, 0
	for {
		if end < from {
			var err error
			if end, err = rs.findCloser(from); err != nil || end < 0 {
				return 0, unlessEOF(err)
			}
		}
		if i := findMarkup(rs.buf[rs.r+clean : rs.r+end]); i >= 0 {
			var err error
			if clean, err = rs.markupEnd(clean + i); err != nil {
				return 0, err
			}
			if clean > end {
				from = clean // the tag was within the comment or text
			}
			continue
		}
		clean = end
		behind := end + len(rs.closer)
		if gt, err := rs.find([]byte(">"), behind); err != nil || gt < 0 {
			return 0, unlessEOF(err)
		}
		if c := rs.buf[rs.r+behind]; c == '>' || isSpace(c) {
			return end, nil
		}
		from = behind // another element whose name begins alike
	}
}

// findCloser is find for the row's closing tag. It looks for the tag's last letter, the
// w of row, which is rare in a sheet: that is three times as fast as to look for "</row",
// which begins like every tag.
func (rs *rowScanner) findCloser(from int) (int, error) {
	n := len(rs.closer)
	for at := from + n - 1; ; {
		for rs.r+at < rs.w {
			i := bytes.IndexByte(rs.buf[rs.r+at:rs.w], rs.closer[n-1])
			if i < 0 {
				at = rs.w - rs.r
				break
			}
			at += i + 1
			if bytes.HasSuffix(rs.buf[rs.r+from:rs.r+at], rs.closer) {
				return at - n, nil
			}
		}
		if err := rs.fill(); err == io.EOF {
			return -1, nil
		} else if err != nil {
			return -1, err
		}
	}
}

// findMarkup gives where the first comment or CDATA section begins, -1 if there is none.
func findMarkup(b []byte) int {
	for at := 1; at < len(b); at++ {
		i := bytes.IndexByte(b[at:], '!')
		if i < 0 {
			return -1
		}
		if at += i; b[at-1] == '<' {
			return at - 1
		}
	}
	return -1
}

// markupEnd gives where the comment or CDATA section that begins at r+i ends.
func (rs *rowScanner) markupEnd(i int) (int, error) {
	end := commentEnd
	if bytes.HasPrefix(rs.buf[rs.r+i:rs.w], []byte("<![")) {
		end = cdataEnd
	}
	n, err := rs.find(end, i+3)
	if err != nil || n < 0 {
		return 0, unlessEOF(err)
	}
	return n + len(end), nil
}

// rowName is the row's name with its prefix. The name that start left has none, but
// lies in the buffer right behind it.
func (rs *rowScanner) rowName() []byte {
	end := rs.r - 1 - len(rs.attrs) // behind the name
	begin := bytes.LastIndexByte(rs.buf[:end], '<') + 1
	return rs.buf[begin:end]
}

// markPoint adds a place to the index now and then. The decoder is ahead of the rows,
// so a checkpoint waits for the first row that begins behind it.
func (rs *rowScanner) markPoint() {
	here := rs.offset()
	if rs.pending != nil && here >= rs.pending.at.offset {
		rs.pending.skip, rs.pending.row = here-rs.pending.at.offset, rs.row
		if !rs.disorder {
			rs.index.add(*rs.pending)
		}
		rs.pending = nil
	}
	if rs.pending != nil || here < rs.checked+pointEvery/4 {
		return
	}
	rs.checked = here
	if !rs.index.wants(here) {
		return
	}
	if at, ok := rs.body.checkpoint(); ok {
		rs.pending = &point{at: at}
	}
}

// firstCellRow gives the row that the first cell names, 0 if it names none.
func firstCellRow(cells []byte) int {
	i := bytes.IndexByte(cells, '<')
	end := bytes.IndexByte(cells, '>')
	if i < 0 || end < i {
		return 0
	}
	x := xmlScanner{}
	tag := cells[i+1 : end]
	if sp := bytes.IndexAny(tag, " \t\r\n"); sp >= 0 {
		x.attrs = tag[sp:]
	}
	ref := []byte(x.get("r"))
	_, row := parseCellRef(ref)
	return row
}

// parseCellRef reads B5 quickly; zeros for what it does not find.
func parseCellRef(ref []byte) (col, row int) {
	i := 0
	for i < len(ref) {
		c := ref[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if col = col*26 + int(c-'a') + 1; col > 1<<20 {
			return 0, 0
		}
		i++
	}
	row, _ = atoi(ref[i:])
	return col, row
}

// atoi reads a positive whole number below 2^30.
func atoi(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 1<<30/10 {
			return slowAtoi(b)
		}
		n = n*10 + int(c-'0')
	}
	return n, n > 0
}

func slowAtoi(b []byte) (int, bool) {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(b)), 64)
	if err != nil || f < 1 || f > 1<<30 || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}

// close gives the decoder back.
func (rs *rowScanner) close() {
	if rs.disorder {
		rs.index.noteDisorder()
	}
	if rs.body != nil {
		rs.body.close()
		rs.body = nil
	}
	if rs.window != nil {
		rs.windows.Put(rs.window)
		rs.window = nil
	}
}
