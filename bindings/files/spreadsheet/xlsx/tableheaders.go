package xlsx

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// maxHeader is how many characters a column's name keeps; Excel allows 255.
const maxHeader = 250

// nameColumns gives the columns of tables the names that were written into their headers:
// Excel calls a file damaged whose headers are not texts, or not the names of the columns.
// Doing it again changes nothing.
func (e *Edits) nameColumns(ctx context.Context, wb *Workbook) error {
	for _, i := range e.touchedSheets() {
		own := e.sheets[i]
		s := wb.sheets[i]
		if len(own.rows) == 0 || s.part == nil || s.info.Kind != sheet.Worksheet {
			continue
		}
		had := len(e.tables)
		if err := e.loadTables(ctx, wb, i); ctx.Err() != nil {
			return err
		} else if err != nil {
			e.tables = e.tables[:had]
			continue // a table that cannot be read stays as it is
		}
		for _, t := range e.tables {
			if t.sheet != i || t.gone || !t.header || len(t.columns) != t.area.Cols() {
				continue
			}
			names := make([]string, len(t.columns))
			for k, c := range t.columns {
				names[k] = c.name
			}
			if err := e.nameHeaders(ctx, wb, i, t.area, names); err != nil {
				return err
			}
			for k, name := range names {
				t.columns[k].name = name
			}
		}
		if own.objects == nil {
			continue
		}
		for _, t := range own.objects.tables {
			if len(t.Headers) != t.Area.Cols() {
				continue
			}
			if err := e.nameHeaders(ctx, wb, i, t.Area, t.Headers); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameHeaders changes the names of a table's columns whose headers have edits. What a
// header shows becomes its text; empty and repeated ones get a name of their own.
func (e *Edits) nameHeaders(ctx context.Context, wb *Workbook, i int, area sheet.Range, names []string) error {
	area.MaxRow = area.MinRow
	edited := map[int]cellEdit{} // by column of the table
	for _, c := range e.sheets[i].of(area.MinRow) {
		if k := int(c.col) - area.MinCol; k >= 0 && k < len(names) {
			edited[k] = c
		}
	}
	if len(edited) == 0 {
		return nil
	}
	view := wb.With(e)
	shown := map[int]string{}
	err := view.Rows(ctx, i, area, func(_ int, cells []sheet.Cell) error {
		for _, c := range cells {
			shown[int(c.Col)-area.MinCol] = view.Text(c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for k, name := range names {
		if _, ok := edited[k]; !ok {
			taken[strings.ToLower(name)] = true
		}
	}
	for k := range names {
		c, ok := edited[k]
		if !ok {
			continue
		}
		name := shown[k]
		if c.formula != "" {
			name = "=" + c.formula // its result is not known, and a header is no formula
		}
		if r := []rune(name); len(r) > maxHeader {
			name = string(r[:maxHeader])
		}
		if name == "" {
			name = fmt.Sprintf("Column%d", k+1)
		}
		unique := name
		for n := 2; taken[strings.ToLower(unique)]; n++ {
			unique = fmt.Sprintf("%s%d", name, n)
		}
		taken[strings.ToLower(unique)] = true
		names[k] = unique
		if c.formula != "" || c.value != sheet.Str(unique) {
			e.SetLike(i, sheet.Ref{Col: area.MinCol + k, Row: area.MinRow}, sheet.Str(unique), "", c.base)
		}
	}
	return nil
}

// renamed lists the columns of tables that have other names than in the file.
func (e *Edits) renamed() (list changes) {
	for _, t := range e.tables {
		names := map[string]string{}
		for _, c := range t.columns {
			if c.old >= 0 && c.name != c.was {
				names[strings.ToLower(c.was)] = c.name
			}
		}
		if len(names) > 0 && !t.gone {
			list = append(list, columnsRenamed{t.name, names})
		}
	}
	return list
}

// setName names a table's column. A line break in it stands as an escape of the standard.
func (c tableColumn) setName(n *node) {
	const mark = "\ue000"
	n.set("name", strings.ReplaceAll(c.name, "\n", mark))
	n.tag = strings.ReplaceAll(n.tag, mark, "_x000a_")
}

// A ' stands before what has a meaning of its own in a structured reference.
var (
	columnEscape  = regexp.MustCompile(`(?s)'(.)`)
	columnSpecial = regexp.MustCompile(`['\[\]#@]`)
)

// columnsRenamed is columns of a table that have other names, by the old ones in lower case.
type columnsRenamed struct {
	table string
	names map[string]string
}

func (columnsRenamed) touches(string) (plain, qualified bool) { return true, true }

func (c columnsRenamed) follow(r *reference, _ string) verdict {
	if r.table == "" || !strings.EqualFold(r.table, c.table) {
		return kept
	}
	var out strings.Builder
	open, done := -1, 0 // the bracket that was opened last; what before is in out
	for i := 0; i < len(r.inner); i++ {
		switch r.inner[i] {
		case '\'':
			i++
		case '[':
			open = i
		case ']':
			if open >= 0 {
				if to, ok := c.names[strings.ToLower(columnEscape.ReplaceAllString(r.inner[open+1:i], "$1"))]; ok {
					out.WriteString(r.inner[done:open+1] + escapeColumn(to))
					done = i
				}
			}
			open = -1
		}
	}
	if done == 0 {
		return kept
	}
	r.inner = out.String() + r.inner[done:]
	return changed
}
