package xlsx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// objects are what a sheet gets beside its cells. Rows and columns must not move while
// some wait to be written.
type objects struct {
	rules  []*Rule
	checks []*Validation
	tables []*NewTable
	charts []*Chart
	grown  map[*part]sheet.Range // tables that have become longer

	drawing    string // id of the relationship to a new drawing
	tableIDs   []string
	firstCheck bool // validations are written
	priority   int  // the highest of the rules that the sheet has
}

// maxObjects is how many rules, validations, tables and charts may wait at a time.
const maxObjects = 1000

// Crowded tells whether so many objects wait that they should be written before there are
// more.
func (e *Edits) Crowded() bool { return e.waiting() >= maxObjects }

func (e *Edits) waiting() (n int) {
	for _, s := range e.sheets {
		if s.objects != nil {
			n += len(s.objects.rules) + len(s.objects.checks) + len(s.objects.tables) + len(s.objects.charts)
		}
	}
	return n
}

// Decorated tells whether objects wait to be written, so that rows, columns and sheets
// must not move before.
func (e *Edits) Decorated() bool {
	for _, s := range e.sheets {
		if s.objects != nil {
			return true
		}
	}
	return false
}

// decorate gives a sheet's objects, for one more.
func (e *Edits) decorate(i int) (*objects, error) {
	if e.Crowded() {
		return nil, tooComplex("more than %d rules, tables and charts were added at once", maxObjects).
			WithHint("One rule can cover many cells: give it a larger range.")
	}
	s := e.of(i)
	if s.objects == nil {
		s.objects = &objects{grown: map[*part]sheet.Range{}}
	}
	return s.objects, nil
}

// decorations plans the parts of the objects of all sheets.
func (rw *rewriter) decorations(e *Edits) error {
	links := &linker{rw: rw, list: map[string][]link{}}
	ids, err := rw.tableNumbers(e)
	if err != nil {
		return err
	}
	for _, i := range e.touchedSheets() {
		o := e.sheets[i].objects
		if o == nil {
			continue
		}
		s := rw.wb.sheets[i]
		if len(o.tables)+len(o.charts) > 0 {
			if err := rw.transitional(); err != nil {
				return err
			}
		}
		for p, area := range o.grown {
			if rw.changed[p] == nil { // or follow has grown it
				rw.whole(p, func(root *node) error { growTable(root, area); return nil })
			}
		}
		o.tableIDs, o.drawing, o.firstCheck, o.priority = nil, "", false, 0
		for _, t := range o.tables {
			ids++
			name := rw.free("xl/tables/table1.xml")
			rw.add(name, typeSpace+"table+xml", writeText(t.xml(ids)))
			id, err := links.add(s.part.name, "table", targetOf(s.part.name, name))
			if err != nil {
				return err
			}
			o.tableIDs = append(o.tableIDs, id)
		}
		if len(o.charts) > 0 {
			if err := rw.charts(s, o, links); err != nil {
				return err
			}
		}
		for _, r := range o.rules {
			if r.Style == nil {
				continue
			}
			if r.dxf, err = rw.styles.addDxf(r.Style); err != nil {
				return err
			}
		}
	}
	return links.write()
}

// transitional refuses workbooks in the strict form of the standard, whose namespaces are
// others than those of the parts that are made here.
func (rw *rewriter) transitional() error {
	links, err := rw.wb.links(rw.ctx, rw.wb.main.name)
	if err != nil {
		return err
	}
	for _, l := range links {
		if strings.Contains(l.full, "purl.oclc.org") {
			return problem.New(problem.UnsupportedFormat, "the workbook is in the strict form of Open XML, to which tables and charts cannot be added").
				WithHint("Save it as a usual .xlsx workbook in a spreadsheet program first.")
		}
	}
	return nil
}

// linker adds relationships to parts, several to one part if need be.
type linker struct {
	rw   *rewriter
	list map[string][]link // of parts by name
	from []string          // in order
}

// add gives the id of a new relationship of a part to a target.
func (l *linker) add(from, kind, target string) (string, error) {
	if l.list[from] == nil {
		l.from = append(l.from, from)
	}
	had, err := l.rw.wb.links(l.rw.ctx, from)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	for _, have := range [][]link{had, l.list[from]} {
		for _, one := range have {
			taken[strings.ToLower(one.id)] = true
		}
	}
	for n := len(taken) + 1; ; n++ {
		id := "rId" + strconv.Itoa(n)
		if !taken[strings.ToLower(id)] {
			l.list[from] = append(l.list[from], link{id: id, kind: kind, full: relsSpace + "/" + kind, target: target})
			return id, nil
		}
	}
}

// write plans the parts that hold the relationships.
func (l *linker) write() error {
	for _, from := range l.from {
		p := l.rw.wb.archive.find(relsOf(from))
		if p == nil {
			l.rw.add(relsOf(from), "", writeText(relsXML(l.list[from])))
			continue
		}
		fresh := l.list[from]
		l.rw.whole(p, func(root *node) error {
			for _, one := range fresh {
				root.add(fmt.Sprintf(`<%sRelationship Id="%s" Type="%s" Target="%s"/>`, root.prefix(), one.id, one.full, escapeXML(one.target)))
			}
			return nil
		})
	}
	return nil
}

// add puts an element behind a node's children.
func (n *node) add(xml string) {
	if n.end == "" {
		n.tag = strings.TrimSuffix(strings.TrimSuffix(n.tag, ">"), "/") + ">"
		n.end = "</" + n.prefix() + n.name + ">"
	}
	n.kids = append(n.kids, element(xml))
}

// styled tells whether a rule has a look.
func (o *objects) styled() bool {
	return o != nil && slices.ContainsFunc(o.rules, func(r *Rule) bool { return r.Style != nil })
}

// wants tells whether an element of the sheet has to be looked at.
func (o *objects) wants(name string) bool {
	if o == nil {
		return false
	}
	switch name {
	case "conditionalFormatting":
		return len(o.rules) > 0
	case "dataValidations":
		return len(o.checks) > 0
	case "tableParts", "autoFilter":
		return len(o.tables) > 0
	}
	return false
}

// in changes an element of the sheet for the objects; false takes it out.
func (o *objects) in(n *node, prefix string) bool {
	switch n.name {
	case "conditionalFormatting":
		for _, k := range n.kids {
			if k.name == "cfRule" {
				if p, err := strconv.Atoi(k.get("priority")); err == nil {
					o.priority = max(o.priority, p)
				}
			}
		}
	case "dataValidations":
		for _, v := range o.checks {
			n.keep(func(k *node) bool { return k.name != "dataValidation" || v.spare(k) })
			n.add(v.xml(prefix))
		}
		n.set("count", strconv.Itoa(n.elements()))
		o.firstCheck = true
	case "tableParts":
		for _, id := range o.tableIDs {
			n.add(tablePart(prefix, id))
		}
		n.set("count", strconv.Itoa(n.elements()))
		o.tableIDs = nil
	case "autoFilter":
		// A filter of the sheet cannot lie over a table, which has its own.
		if r, err := sheet.ParseRange(n.get("ref")); err == nil {
			for _, t := range o.tables {
				if _, both := r.Overlap(t.Area); both {
					return false
				}
			}
		}
	}
	return true
}

// due gives what the sheet has to get where it has no such element yet.
func (o *objects) due(name, prefix string) string {
	var out strings.Builder
	switch name {
	case "conditionalFormatting":
		for _, r := range o.rules {
			o.priority++
			out.WriteString(r.xml(prefix, o.priority))
		}
	case "dataValidations":
		if len(o.checks) == 0 || o.firstCheck {
			return ""
		}
		// The last one counts where two overlap.
		list := element(fmt.Sprintf("<%sdataValidations/>", prefix))
		o.in(list, prefix)
		return xmlText([]*node{list})
	case "drawing":
		if o.drawing != "" {
			fmt.Fprintf(&out, `<%sdrawing xmlns:r="%s" r:id="%s"/>`, prefix, relsSpace, o.drawing)
		}
	case "tableParts":
		if len(o.tableIDs) > 0 {
			fmt.Fprintf(&out, `<%stableParts count="%d">`, prefix, len(o.tableIDs))
			for _, id := range o.tableIDs {
				out.WriteString(tablePart(prefix, id))
			}
			fmt.Fprintf(&out, "</%stableParts>", prefix)
		}
	}
	return out.String()
}

// objectElements are those that objects need, in the order of a sheet.
var objectElements = []string{"conditionalFormatting", "dataValidations", "drawing", "tableParts"}

func tablePart(prefix, id string) string {
	return fmt.Sprintf(`<%stablePart xmlns:r="%s" r:id="%s"/>`, prefix, relsSpace, id)
}

// tables lists the tables that a sheet has in the file: their parts and what they are.
func (wb *Workbook) tableRoots(ctx context.Context, s *worksheet) (parts []*part, roots []*node, err error) {
	parts, err = wb.partsOf(ctx, s.part, "table")
	if err != nil {
		return nil, nil, err
	}
	for _, p := range parts {
		root, err := wb.tree(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, root)
	}
	return parts, roots, nil
}
