package xlsx

import (
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// reference is a place of a formula that names cells, or a name or an error of a sheet.
type reference struct {
	first, last string // the sheets named in front of it; last is that of Jan:Mar!A1
	a, b        corner // b equals a unless it is a range
	isRange     bool
	other       bool   // what follows the sheet is no cells; a and b are zero
	table       string // a table's name before its brackets, "" where there are only these
	inner       string // of a table, the brackets
	name        string // a defined name, or what else it is that is no cells
	outside     bool   // of another workbook; all else is zero but other

	from, to int    // where it stands in the formula
	with     string // what it becomes if it is replaced
}

// corner is a cell, a whole column (row is 0) or a whole row (col is 0).
type corner struct {
	col, row             int
	pinnedCol, pinnedRow bool
}

// verdict is what becomes of a reference.
type verdict uint8

const (
	kept verdict = iota
	changed
	gone     // becomes #REF!
	replaced // becomes another text
)

// mapRefs gives a formula with its references as fn leaves them. Texts, names,
// functions, the insides of structured references and what refers to other workbooks
// stay as they are. What is not a formula comes back unchanged, too.
func mapRefs(text string, fn func(r *reference) verdict) string {
	m := refMapper{text: text, fn: fn}
	for m.i < len(text) {
		m.step()
	}
	if m.out == nil {
		return text
	}
	return string(append(m.out, text[m.done:]...))
}

type refMapper struct {
	text string
	fn   func(r *reference) verdict
	i    int    // what is looked at next
	out  []byte // nil as long as nothing has changed
	done int    // text before it is in out
}

func (m *refMapper) replace(from, to int, with string) {
	if m.text[from:to] == with {
		return
	}
	if m.out == nil {
		m.out = make([]byte, 0, len(m.text)+16)
	}
	m.out = append(append(m.out, m.text[m.done:from]...), with...)
	m.done = to
}

func (m *refMapper) at(i int) byte {
	if i < len(m.text) {
		return m.text[i]
	}
	return 0
}

func (m *refMapper) step() {
	switch c := m.text[m.i]; {
	case c == '"':
		m.i = quoteEnd(m.text, m.i, '"')
	case c == '#':
		m.errorValue()
	case c == '\'':
		begin := m.i
		end := quoteEnd(m.text, begin, '\'')
		if m.i = end; m.at(end) != '!' {
			return
		}
		name := strings.ReplaceAll(m.text[begin+1:end-1], "''", "'")
		m.i++
		if name == "" || strings.Contains(name, "[") { // nonsense, or another workbook's
			m.passTarget()
			m.decideOther(begin, begin, reference{outside: true})
			return
		}
		first, last, _ := strings.Cut(name, ":")
		m.target(begin, first, last)
	case c == '[':
		begin := m.i
		m.i = bracketEnd(m.text, m.i)
		if from := m.i + 1; m.text[begin:m.i] == "[0]" && m.at(m.i) == '!' { // this workbook
			m.i++
			m.passTarget()
			m.decideOther(begin, begin, reference{name: m.text[from:m.i]})
			return
		}
		if c := m.at(m.i); c != '!' && c != ':' && !isNameByte(c) { // in the table itself
			m.decideTable(begin, reference{inner: m.text[begin:m.i]})
			return
		}
		m.passWord()
		if m.at(m.i) == ':' && isNameByte(m.at(m.i+1)) {
			m.i++
			m.passWord()
		}
		if m.at(m.i) == '!' {
			m.i++
			m.passTarget()
		}
		m.decideOther(begin, begin, reference{outside: true})
	case isNameByte(c):
		m.word()
	default:
		m.i++
	}
}

// word handles what begins with a letter, a digit or a $.
func (m *refMapper) word() {
	begin := m.i
	m.passWord()
	word := m.text[begin:m.i]
	switch m.at(m.i) {
	case '(':
		return // a function
	case '[':
		end := m.i
		m.i = bracketEnd(m.text, m.i)
		m.decideTable(begin, reference{table: word, inner: m.text[end:m.i]})
		return
	case '!':
		m.i++
		m.target(begin, word, "")
		return
	case ':':
		end := m.i + 1
		for isNameByte(m.at(end)) {
			end++
		}
		if last := m.text[m.i+1 : end]; last != "" && m.at(end) == '!' && !isCell(word) {
			m.i = end + 1
			m.target(begin, word, last)
			return
		}
	}
	if r, end, ok := parseArea(m.text, begin); ok {
		m.i = end
		m.decide(begin, r)
	} else if c := word[0]; c != '$' && c != '.' && c != '?' && (c < '0' || c > '9') {
		m.decideOther(begin, begin, reference{name: word})
	}
}

// target handles what stands behind the ! of sheets that begin at begin.
func (m *refMapper) target(begin int, first, last string) {
	if r, end, ok := parseArea(m.text, m.i); ok {
		r.first, r.last = first, last
		m.i = end
		m.decide(begin, r)
		return
	}
	from := m.i
	m.passTarget()
	if m.i > from {
		m.decideOther(begin, from, reference{first: first, last: last, name: m.text[from:m.i]})
	}
}

// passTarget moves behind a reference, a name or an error.
func (m *refMapper) passTarget() {
	if m.at(m.i) == '#' {
		m.errorValue()
		return
	}
	if _, end, ok := parseArea(m.text, m.i); ok {
		m.i = end
		return
	}
	m.passWord()
	if m.at(m.i) == '[' {
		m.i = bracketEnd(m.text, m.i)
	}
}

func (m *refMapper) passWord() {
	for isNameByte(m.at(m.i)) {
		m.i++
	}
}

var errorValues = []string{"#REF!", "#N/A", "#DIV/0!", "#NAME?", "#VALUE!", "#NUM!", "#NULL!", "#GETTING_DATA", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!", "#UNKNOWN!", "#CONNECT!"}

// errorValue passes an error, or the # of a spilled range. Excel writes #REF!A1 where
// a sheet is gone; the cell behind it refers to nothing.
func (m *refMapper) errorValue() {
	for _, e := range errorValues {
		if strings.HasPrefix(m.text[m.i:], e) {
			m.i += len(e)
			if e == "#REF!" {
				if _, end, ok := parseArea(m.text, m.i); ok {
					m.i = end
				} else {
					m.passWord()
				}
			}
			return
		}
	}
	m.i++
}

func (m *refMapper) decide(begin int, r reference) {
	r.from, r.to = begin, m.i
	switch m.fn(&r) {
	case replaced:
		m.replace(begin, m.i, r.with)
	case changed:
		m.replace(begin, m.i, r.String())
	case gone:
		if r.first != "" {
			m.replace(begin, m.i, sheetPrefix(r.first, r.last)+"#REF!")
			return
		}
		m.replace(begin, m.i, "#REF!")
	}
}

// decideOther changes only the sheet's name before a name or an error.
func (m *refMapper) decideOther(begin, from int, r reference) {
	r.other, r.from, r.to = true, begin, m.i
	switch m.fn(&r) {
	case replaced:
		m.replace(begin, m.i, r.with)
	case changed:
		m.replace(begin, from, sheetPrefix(r.first, r.last))
	case gone:
		m.replace(begin, m.i, "#REF!")
	}
}

// decideTable handles a structured reference.
func (m *refMapper) decideTable(begin int, r reference) {
	r.other, r.from, r.to = true, begin, m.i
	switch m.fn(&r) {
	case replaced:
		m.replace(begin, m.i, r.with)
	case changed:
		m.replace(begin, m.i, r.table+r.inner)
	case gone:
		m.replace(begin, m.i, "#REF!")
	}
}

// quoteEnd gives what follows the quoted text at i; quotes within it are doubled.
func quoteEnd(text string, i int, quote byte) int {
	for i++; i < len(text); i++ {
		if text[i] == quote {
			if i+1 < len(text) && text[i+1] == quote {
				i++
				continue
			}
			return i + 1
		}
	}
	return len(text)
}

// bracketEnd gives what follows the bracket at i. A ' within one takes the meaning of
// the bracket behind it away.
func bracketEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\'':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// parseArea reads A1, A1:B2, A:C or 1:5 at i. It is no reference if it goes on as a
// function, a sheet or a table.
func parseArea(text string, i int) (r reference, end int, ok bool) {
	word := func(from int) (c corner, end int, ok bool) {
		end = from
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		if end < len(text) && (text[end] == '(' || text[end] == '!' || text[end] == '[') {
			return c, end, false
		}
		s, ok := splitRef(text[from:end])
		return corner{s.col, s.row, s.pinnedCol, s.pinnedRow}, end, ok
	}
	a, end, ok := word(i)
	if !ok {
		return r, i, false
	}
	r.a, r.b = a, a
	if end < len(text) && text[end] == ':' {
		if b, end, ok := word(end + 1); ok && (a.col == 0) == (b.col == 0) && (a.row == 0) == (b.row == 0) {
			r.b, r.isRange = b, true
			return r, end, true
		}
	}
	return r, end, a.col > 0 && a.row > 0
}

func isCell(word string) bool {
	s, ok := splitRef(word)
	return ok && s.col > 0 && s.row > 0
}

// String is the reference as formulas write it.
func (r reference) String() string {
	text := r.a.String()
	if r.isRange {
		text += ":" + r.b.String()
	}
	return sheetPrefix(r.first, r.last) + text
}

func (c corner) String() string {
	var buf [16]byte
	b := buf[:0]
	if c.col > 0 {
		if c.pinnedCol {
			b = append(b, '$')
		}
		b = append(b, sheet.ColName(c.col)...)
	}
	if c.row > 0 {
		if c.pinnedRow {
			b = append(b, '$')
		}
		b = strconv.AppendInt(b, int64(c.row), 10)
	}
	return string(b)
}

// sheetPrefix gives the names of sheets as they stand in front of a reference, "" if
// there are none.
func sheetPrefix(first, last string) string {
	if first == "" {
		return ""
	}
	text, quotes := first, needsQuotes(first)
	if last != "" {
		text, quotes = first+":"+last, quotes || needsQuotes(last)
	}
	if quotes {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'!"
	}
	return text + "!"
}

// needsQuotes tells whether a sheet's name must be quoted in a formula: when it does not
// look like a name, or looks like a cell (A1, R1C1) or a truth value.
func needsQuotes(name string) bool {
	for i, r := range name {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_' || r >= 0x80 && r != 0xa0 && (r < 0x2000 || r > 0x303f)
		if !letter && (i == 0 || !('0' <= r && r <= '9' || r == '.')) {
			return true
		}
	}
	upper := strings.ToUpper(name)
	if s, ok := splitRef(upper); ok && s.col > 0 && s.row > 0 || upper == "TRUE" || upper == "FALSE" {
		return true
	}
	// R, C, R1, C1, R1C1
	rest := strings.TrimLeft(strings.TrimPrefix(upper, "R"), "0123456789")
	if upper != "" && (upper[0] == 'R' || upper[0] == 'C') {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "C"), "0123456789")
		return rest == ""
	}
	return name == ""
}
