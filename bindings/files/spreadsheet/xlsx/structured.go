package xlsx

import "strings"

// structured finds the cells of a structured reference. Those that do not exist are an
// error's.
func (p *resolving) structured(r *reference) (place resolvedCells, code string) {
	var t *resolvedTable
	if r.table != "" {
		t = p.rs.tables[strings.ToLower(r.table)]
	} else {
		for _, other := range p.rs.tables {
			if other.sheet == p.sheet && other.area.Contains(p.f.At) {
				t = other
			}
		}
	}
	if t == nil {
		p.fail("there is no table for %s", clip(r.table+r.inner))
		return place, ""
	}
	s, ok := parseStructured(r.inner)
	if !ok {
		p.fail("%s cannot be understood", clip(r.table+r.inner))
		return place, ""
	}
	place = resolvedCells{sheet: t.sheet, area: t.area}
	if s.first != "" {
		from, to := t.column(s.first), t.column(s.last)
		if from < 0 || to < 0 {
			missing := s.first
			if from >= 0 {
				missing = s.last
			}
			p.fail("the table has no column %q", clip(missing))
			return place, ""
		}
		place.area.MinCol, place.area.MaxCol = t.area.MinCol+min(from, to), t.area.MinCol+max(from, to)
	}
	data := t.data()
	top, bottom := t.area.MinRow, t.area.MaxRow
	if s.thisRow {
		if top, bottom = p.f.At.Row, p.f.At.Row; top < data.MinRow || top > data.MaxRow {
			return place, "#VALUE!"
		}
	} else if !s.all {
		s.data = s.data || !s.headers && !s.totals
		if s.headers && s.totals && !s.data {
			return place, "#REF!" // they are apart
		}
		switch {
		case s.headers:
		case s.data:
			top = data.MinRow
		default:
			top = data.MaxRow + 1
		}
		switch {
		case s.totals:
		case s.data:
			bottom = data.MaxRow
		default:
			bottom = data.MinRow - 1
		}
		if top > bottom {
			return place, "#REF!"
		}
	}
	place.area.MinRow, place.area.MaxRow = top, bottom
	place.one = !s.data && !s.all && top == bottom && place.area.Cols() == 1
	return place, ""
}

// structuredPlace is what stands in the brackets of a structured reference.
type structuredPlace struct {
	all, data, headers, totals, thisRow bool
	first, last                         string // columns, "" for all
}

// parseStructured reads [Column], [@Column], [#Totals], [[#This Row],[A]:[C]] and the like.
func parseStructured(inner string) (s structuredPlace, ok bool) {
	if len(inner) < 2 || inner[len(inner)-1] != ']' {
		return s, false
	}
	text := strings.TrimSpace(inner[1 : len(inner)-1])
	if at, short := strings.CutPrefix(text, "@"); short {
		s.thisRow, text = true, strings.TrimSpace(at)
	}
	if text == "" {
		return s, true
	}
	if text[0] != '[' {
		return s, s.add(text, false)
	}
	between := byte(0)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ':
			i++
		case (c == ',' || c == ':') && between == 0 && i > 0:
			between = c
			i++
		case c == '[' && (i == 0 || between != 0):
			end := bracketEnd(text, i)
			if end == i+1 || text[end-1] != ']' || !s.add(text[i+1:end-1], between == ':') {
				return s, false
			}
			i, between = end, 0
		default:
			return s, false
		}
	}
	return s, between == 0
}

// add takes one part of a structured reference; through says that a column is the last one
// of several.
func (s *structuredPlace) add(text string, through bool) bool {
	if strings.HasPrefix(text, "#") {
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "#all":
			s.all = true
		case "#data":
			s.data = true
		case "#headers":
			s.headers = true
		case "#totals":
			s.totals = true
		case "#this row":
			s.thisRow = true
		default:
			return false
		}
		return !through
	}
	name := columnEscape.ReplaceAllString(text, "$1")
	switch {
	case through && s.first != "":
		s.last = name
	case !through && s.first == "":
		s.first, s.last = name, name
	default:
		return false
	}
	return true
}
