package xlsx

import (
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// spellTables writes the structured references of new formulas as files have them: Excel
// calls a file damaged that has Orders[@Price] or, in the table's own cells, [@Price] or
// [Price]. Doing it again changes nothing. The tables of sheets with edits are loaded.
func (e *Edits) spellTables() {
	for i, own := range e.sheets {
		for row, cells := range own.rows {
			for k := range cells {
				if c := &cells[k]; strings.Contains(c.formula, "[") {
					c.formula = spelled(c.formula, e.tableAt(i, sheet.Ref{Col: int(c.col), Row: row}))
				}
			}
		}
	}
}

// tableAt names the table that has a cell, "" if none does.
func (e *Edits) tableAt(i int, at sheet.Ref) string {
	own := e.sheets[i].objects
	for _, t := range e.tables {
		if t.sheet != i || t.gone {
			continue
		}
		area := t.area
		if own != nil && own.grown[t.part].MinRow > 0 {
			area = own.grown[t.part]
		}
		if area.Contains(at) {
			return t.name
		}
	}
	if own != nil {
		for _, t := range own.tables {
			if t.Area.Contains(at) {
				return t.Name
			}
		}
	}
	return ""
}

// spelled gives a formula of a table's cell with its structured references in full.
func spelled(formula, table string) string {
	return mapRefs(formula, func(r *reference) verdict {
		if !strings.HasSuffix(r.inner, "]") || r.table == "" && table == "" {
			return kept
		}
		out := kept
		if r.table == "" {
			r.table, out = table, changed
		}
		if !strings.HasPrefix(strings.TrimSpace(r.inner[1:]), "@") {
			return out
		}
		s, ok := parseStructured(r.inner)
		if !ok {
			return out
		}
		r.inner = "[#This Row]"
		if s.first != "" {
			r.inner = "[[#This Row],[" + escapeColumn(s.first) + "]"
			if s.last != s.first {
				r.inner += ":[" + escapeColumn(s.last) + "]"
			}
			r.inner += "]"
		}
		return changed
	})
}

func escapeColumn(name string) string { return columnSpecial.ReplaceAllString(name, "'$0") }
