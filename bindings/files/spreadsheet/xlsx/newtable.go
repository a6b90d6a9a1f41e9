package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// NewTable is a table that a range becomes. Its first row holds the headers.
type NewTable struct {
	Name    string
	Area    sheet.Range
	Headers []string // the texts of the first row, different from each other
	Style   string   // such as TableStyleMedium2; "" for none
	Banded  bool     // every other row is shaded
}

// Table is a table that a sheet has.
type Table struct {
	Name   string
	Area   sheet.Range
	Totals bool // its last row holds totals

	headers bool
	part    *part
}

// Tables lists the tables of a sheet, those that are waiting to be written included.
func (e *Edits) Tables(ctx context.Context, wb *Workbook, i int) (list []Table, err error) {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return nil, err
	}
	parts, roots, err := wb.tableRoots(ctx, s)
	if err != nil {
		return nil, err
	}
	var own *objects
	if edits := e.sheets[i]; edits != nil {
		own = edits.objects
	}
	for k, root := range roots {
		area, err := sheet.ParseRange(root.get("ref"))
		if err != nil {
			continue
		}
		totals := root.get("totalsRowCount")
		t := Table{root.get("displayName"), area, totals != "" && totals != "0", root.get("headerRowCount") != "0", parts[k]}
		if own != nil {
			if grown, ok := own.grown[t.part]; ok {
				t.Area = grown
			}
		}
		list = append(list, t)
	}
	if own != nil {
		for _, t := range own.tables {
			list = append(list, Table{Name: t.Name, Area: t.Area, headers: true})
		}
	}
	return list, nil
}

// GrowTable makes a table of the file longer.
func (e *Edits) GrowTable(i int, t Table, rows int) error {
	o, err := e.decorate(i)
	if err != nil {
		return err
	}
	t.Area.MaxRow += rows
	if t.part == nil { // one that waits to be written
		for _, own := range o.tables {
			if own.Name == t.Name {
				own.Area = t.Area
			}
		}
		return nil
	}
	o.grown[t.part] = t.Area
	return nil
}

func growTable(root *node, area sheet.Range) {
	root.set("ref", areaText(area))
	if filter := root.child("autoFilter"); filter != nil {
		filter.set("ref", areaText(area))
	}
}

// AddTable makes a range a table. Errors: exists for a name that is taken, and
// invalid_argument for a range that overlaps a table or a merged area.
func (e *Edits) AddTable(ctx context.Context, wb *Workbook, i int, t NewTable) error {
	lower := strings.ToLower(t.Name)
	for _, n := range wb.names {
		if strings.ToLower(n.Name) == lower {
			return taken(t.Name)
		}
	}
	for k, s := range wb.sheets {
		if s.part == nil || s.info.Kind != sheet.Worksheet {
			continue
		}
		list, err := e.Tables(ctx, wb, k)
		if err != nil {
			return err
		}
		for _, have := range list {
			if strings.ToLower(have.Name) == lower {
				return taken(t.Name)
			}
			if _, both := have.Area.Overlap(t.Area); both && k == i {
				return problem.New(problem.InvalidArgument, "range: %s overlaps the table %q at %s", t.Area, clip(have.Name), have.Area).With("argument", "range")
			}
		}
	}
	merged, err := e.Merged(ctx, wb, i)
	if err != nil {
		return err
	}
	for _, r := range merged {
		if _, both := r.Overlap(t.Area); both {
			return problem.New(problem.InvalidArgument, "range: a table cannot have the merged area %s in it", r).
				WithHint("Call unmergeCells on it first.").With("argument", "range")
		}
	}
	o, err := e.decorate(i)
	if err != nil {
		return err
	}
	if f := e.of(i).filter; f != nil {
		if _, both := f.Overlap(t.Area); both {
			e.of(i).filter = nil
		}
	}
	o.tables = append(o.tables, &t)
	return nil
}

func taken(name string) error {
	return problem.New(problem.Exists, "there is a table or a name %q already", clip(name)).WithHint("Use another name.").With("argument", "name")
}

// tableNumbers gives the highest number of the workbook's tables, if some are added.
func (rw *rewriter) tableNumbers(e *Edits) (highest int, err error) {
	added := false
	for _, s := range e.sheets {
		added = added || s.objects != nil && len(s.objects.tables) > 0
	}
	if !added {
		return 0, nil
	}
	for _, s := range rw.wb.sheets {
		if s.part == nil {
			continue
		}
		_, roots, err := rw.wb.tableRoots(rw.ctx, s)
		if err != nil {
			return 0, err
		}
		for _, root := range roots {
			if id, err := strconv.Atoi(root.get("id")); err == nil {
				highest = max(highest, id)
			}
		}
	}
	return highest, nil
}

// xml is the table's part.
func (t *NewTable) xml(id int) string {
	var out strings.Builder
	fmt.Fprintf(&out, xmlHead+`<table xmlns="%s" id="%d" name="%s" displayName="%s" ref="%s" totalsRowShown="0"><autoFilter ref="%s"/><tableColumns count="%d">`,
		mainSpace, id, escapeXML(t.Name), escapeXML(t.Name), areaText(t.Area), areaText(t.Area), len(t.Headers))
	for i, h := range t.Headers {
		// A line break in a header stands as an escape of the standard here.
		text := strings.ReplaceAll(escapeXML(h), "\n", "_x000a_")
		fmt.Fprintf(&out, `<tableColumn id="%d" name="%s"/>`, i+1, text)
	}
	out.WriteString(`</tableColumns>`)
	if t.Style != "" {
		banded := "0"
		if t.Banded {
			banded = "1"
		}
		fmt.Fprintf(&out, `<tableStyleInfo name="%s" showFirstColumn="0" showLastColumn="0" showRowStripes="%s" showColumnStripes="0"/>`, escapeXML(t.Style), banded)
	}
	out.WriteString(`</table>`)
	return out.String()
}
