// Package csvfile reads and writes csv and tsv files as workbooks of one sheet. How a
// file is written (delimiter, quoting, encoding, line ends, decimal comma) is found out
// when it is opened and kept when it is written back.
//
// There is no standard that files keep to; RFC 4180 is followed where they do. A cell's
// text is typed with care: 12.50 is a number, but 007, +49301234 and numbers of more than
// 15 digits are texts, because they would not come back as they were. Dates stay texts.
//
// Imports sheet and problem. Start reading at Open, or at Writer for the way back.
package csvfile

import (
	"bytes"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/problem"
)

// Encoding is how a file's characters are written.
type Encoding string

// The encodings. Windows1252 stands for Latin-1 as well, which it contains.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// Quoting says which cells stand in quotes.
type Quoting string

// The ways of quoting: where a cell needs it, every cell that is not empty, and every
// text but no number.
const (
	QuoteMinimal Quoting = "minimal"
	QuoteAll     Quoting = "all"
	QuoteTexts   Quoting = "texts"
)

// Dialect is how a file is written. The zero Dialect is that of RFC 4180 in UTF-8, but
// with \n for its line end.
type Dialect struct {
	Delimiter    byte     // , ; | or a tab. Defaults to a comma.
	Encoding     Encoding // Defaults to UTF8.
	BOM          bool     // the file begins with a byte order mark
	LineEnd      string   // \n, \r\n or \r. Defaults to \n.
	NoFinalEnd   bool     // the last row has no line end
	Quoting      Quoting  // Defaults to QuoteMinimal.
	DecimalComma bool     // numbers are written 1,5
	SepLine      bool     // the file begins with a line such as sep=; that Excel reads
}

func (d Dialect) normal() Dialect {
	if d.Delimiter == 0 {
		d.Delimiter = ','
	}
	if d.Encoding == "" {
		d.Encoding = UTF8
	}
	if d.LineEnd == "" {
		d.LineEnd = "\n"
	}
	if d.Quoting == "" {
		d.Quoting = QuoteMinimal
	}
	return d
}

// sampleSize is how much of a file tells its dialect.
const sampleSize = 64 << 10

// sniff finds a file's dialect, and how many bytes stand before the first row.
func sniff(ctx context.Context, src io.ReaderAt, size int64, name string) (d Dialect, start int64, err error) {
	head := make([]byte, min(size, sampleSize))
	if n, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return d, 0, unreadable(err)
	} else {
		head = head[:n]
	}
	d = Dialect{Encoding: UTF8}
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		d.BOM, start = true, 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		d.Encoding, d.BOM, start = UTF16LE, true, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		d.Encoding, d.BOM, start = UTF16BE, true, 2
	case looksUTF16(head, 1):
		d.Encoding = UTF16LE
	case looksUTF16(head, 0):
		d.Encoding = UTF16BE
	default:
		valid, err := validUTF8(ctx, src, size)
		if err != nil {
			return d, 0, err
		}
		if !valid {
			d.Encoding = Windows1252
		}
	}
	text := head[start:]
	if d.Encoding == UTF16LE || d.Encoding == UTF16BE {
		text, _ = io.ReadAll(decoder(d.Encoding, bytes.NewReader(text[:len(text)/2*2])))
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return d, 0, problem.New(problem.NotText, "the file is not text, so it is no csv file")
	}
	if line, rest, ok := cutLine(text); ok && len(line) == 5 && strings.EqualFold(string(line[:4]), "sep=") {
		d.Delimiter, d.SepLine = line[4], true
		skipped := int64(len(text) - len(rest))
		if d.Encoding == UTF16LE || d.Encoding == UTF16BE {
			skipped *= 2
		}
		start += skipped
		text = rest
	}
	if d.Delimiter == 0 {
		d.Delimiter = delimiterOf(text, name)
	}
	habits(&d, text, int64(len(head)) == size)
	if size > int64(len(head)) {
		d.NoFinalEnd = !endsWithLine(src, size, d.Encoding)
	}
	return d.normal(), start, nil
}

func unreadable(err error) error {
	return problem.New(problem.DamagedFile, "the file cannot be read").WithCause(err)
}

func cutLine(text []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 {
		return text, nil, len(text) > 0
	}
	rest = text[i+1:]
	if text[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return text[:i], rest, true
}

// looksUTF16 tells whether every second byte, from the one at zeros on, tends to be zero.
func looksUTF16(head []byte, zeros int) bool {
	head = head[:len(head)/2*2]
	if len(head) < 8 {
		return false
	}
	count := 0
	for i := zeros; i < len(head); i += 2 {
		if head[i] == 0 {
			count++
		} else if head[i^1] == 0 {
			return false
		}
	}
	return count > len(head)/4
}

// validUTF8 looks at all of a file: one byte near its end may tell that it is not UTF-8.
func validUTF8(ctx context.Context, src io.ReaderAt, size int64) (bool, error) {
	buf := make([]byte, 256<<10)
	for off := int64(0); off < size; {
		if err := ctx.Err(); err != nil {
			return false, problem.From(err)
		}
		n, err := src.ReadAt(buf, off)
		if n == 0 {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, unreadable(err)
		}
		part := buf[:n]
		if off+int64(n) < size { // a character may be cut in two
			for i := 1; i < utf8.UTFMax && i < len(part); i++ {
				if utf8.RuneStart(part[len(part)-i]) {
					if !utf8.FullRune(part[len(part)-i:]) {
						part = part[:len(part)-i]
					}
					break
				}
			}
		}
		if !utf8.Valid(part) {
			return false, nil
		}
		off += int64(len(part))
	}
	return true, nil
}

// endsWithLine tells whether a file ends with a line end.
func endsWithLine(src io.ReaderAt, size int64, enc Encoding) bool {
	tail := make([]byte, 2)
	src.ReadAt(tail, size-2)
	c := tail[1]
	if enc == UTF16LE {
		c = tail[0]
	}
	return c == '\n' || c == '\r'
}

// delimiterOf finds the delimiter that cuts the most rows of the sample into the same
// number of cells, more than one.
func delimiterOf(text []byte, name string) byte {
	candidates := []byte{',', ';', '\t', '|'}
	if strings.HasSuffix(strings.ToLower(name), ".tsv") {
		candidates = []byte{'\t', ',', ';', '|'}
	}
	best, most := candidates[0], 0
	for _, c := range candidates {
		byWidth := map[int]int{}
		s := scanner{buf: text, w: len(text), delimiter: c, eof: true}
		for range 100 {
			fields, ok, err := s.next()
			if err != nil || !ok {
				break
			}
			if s.r == s.w && len(byWidth) > 0 && len(text) >= sampleSize/2 {
				break // the sample may end within this row
			}
			if len(fields) > 1 {
				byWidth[len(fields)]++
			}
		}
		score := 0
		for width, rows := range byWidth {
			// Many rows of one width say more than many cells do.
			score = max(score, rows*rows*100+min(width, 50))
		}
		if score > most {
			best, most = c, score
		}
	}
	return best
}

// habits looks at line ends, quotes and decimal commas.
func habits(d *Dialect, text []byte, whole bool) {
	s := scanner{buf: text, w: len(text), delimiter: d.Delimiter, eof: true}
	quoted, bareTexts, bareNumbers, quotedNumbers, needless := 0, 0, 0, 0, 0
	commas, points := 0, 0
	for range 1000 {
		fields, ok, err := s.next()
		if err != nil || !ok {
			break
		}
		if d.LineEnd == "" && s.end != "" {
			d.LineEnd = s.end
		}
		d.NoFinalEnd = s.end == ""
		for _, f := range fields {
			raw := f.text
			if len(raw) == 0 {
				continue
			}
			_, commaDecimals := ungrouped(raw, '.', ',')
			_, pointDecimals := ungrouped(raw, ',', '.')
			number := commaDecimals || pointDecimals || looksNumeric(raw)
			switch {
			case f.quoted && number:
				quoted++
				quotedNumbers++
			case f.quoted:
				quoted++
				if !needsQuotes(raw, d.Delimiter) {
					needless++
				}
			case number:
				bareNumbers++
			default:
				bareTexts++
			}
			switch {
			case commaDecimals, number && !pointDecimals && bytes.IndexByte(raw, ',') >= 0:
				commas++
			case number && bytes.IndexByte(raw, '.') >= 0:
				points++
			}
		}
	}
	switch {
	case needless+quotedNumbers == 0:
		d.Quoting = QuoteMinimal
	case bareTexts == 0 && bareNumbers == 0:
		d.Quoting = QuoteAll
	case bareTexts == 0 && quotedNumbers == 0:
		d.Quoting = QuoteTexts
	}
	d.DecimalComma = d.Delimiter != ',' && commas > points
	if !whole {
		d.NoFinalEnd = false
	}
}

// looksNumeric tells whether a text is a number with a point or a comma.
func looksNumeric(text []byte) bool {
	digits, marks := 0, 0
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '-' && i == 0:
		case c == '.' || c == ',':
			marks++
		default:
			return false
		}
	}
	return digits > 0 && marks <= 1
}
