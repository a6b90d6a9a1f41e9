package xlsx

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// notCopied are kinds of relationships that lead to what belongs to one sheet alone.
var notCopied = map[string]string{
	"pivotTable": "pivot tables", "slicer": "slicers", "timeline": "timelines", "threadedComment": "threaded comments (their texts stay as notes)",
	"queryTable": "queries of tables",
}

// sharedKinds are kinds of relationships to what several sheets may refer to.
var sharedKinds = map[string]bool{"image": true, "media": true, "video": true, "audio": true, "pivotCacheDefinition": true, "theme": true, "hyperlink": true, "worksheet": true}

// sheetCopy makes a copy of a sheet and of the parts that belong to it.
type sheetCopy struct {
	rw       *rewriter
	types    *contentTypes
	from, to string           // the names of the sheets
	names    map[*part]string // of copies
	tables   changes          // new names of tables
	nextID   int              // of tables
	taken    map[string]bool  // names of tables and defined names, in lower case
	left     map[string]bool  // what was not copied
}

// CopySheet writes the workbook, which has no edits, with a copy of a sheet at the end.
// It answers what of the sheet could not be copied.
func (wb *Workbook) CopySheet(ctx context.Context, w io.Writer, i int, name string) (left []string, err error) {
	if err := wb.CheckSheetName(name, -1); err != nil {
		return nil, err
	}
	s, err := wb.worksheetOf(i)
	if err != nil {
		return nil, err
	}
	c := &sheetCopy{from: s.info.Name, to: name, names: map[*part]string{}, taken: map[string]bool{}, left: map[string]bool{}}
	err = wb.rewrite(ctx, w, &Edits{}, func(rw *rewriter) error {
		c.rw = rw
		if c.types, err = wb.contentTypes(ctx); err != nil {
			return err
		}
		if err := c.findTables(); err != nil {
			return err
		}
		part, err := c.copy(s.part)
		if err != nil {
			return err
		}
		if _, err = rw.listSheet(name, part, ""); err != nil {
			return err
		}
		c.localNames(i)
		return nil
	})
	for what := range c.left {
		left = append(left, what)
	}
	slices.Sort(left)
	return left, err
}

// findTables finds the names and ids of tables that are taken.
func (c *sheetCopy) findTables() error {
	wb := c.rw.wb
	for _, n := range wb.names {
		c.taken[strings.ToLower(n.Name)] = true
	}
	for _, p := range wb.archive.order {
		if c.types.kindOf(p.name) != "table" {
			continue
		}
		root, err := wb.tree(c.rw.ctx, p)
		if err != nil {
			return err
		}
		if id, err := strconv.Atoi(root.get("id")); err == nil {
			c.nextID = max(c.nextID, id)
		}
		c.taken[strings.ToLower(root.get("displayName"))] = true
	}
	return nil
}

// copy plans the copy of a part and of those that it refers to, and gives its name.
func (c *sheetCopy) copy(p *part) (string, error) {
	if name, ok := c.names[p]; ok {
		return name, nil
	}
	if len(c.names) > 2000 {
		return "", tooComplex("the sheet %q has too many parts to copy", clip(c.from))
	}
	rw, wb := c.rw, c.rw.wb
	name := rw.free(p.name)
	c.names[p] = name
	// The name is taken from now on, and the part is written behind those it refers to.
	slot := len(rw.added)
	rw.add(name, c.types.of(p.name), nil)
	links, err := wb.links(rw.ctx, p.name)
	if err != nil {
		return "", err
	}
	var kept []link
	gone := map[string]bool{}
	for _, l := range links {
		target := wb.archive.find(resolve(p.name, l.target))
		switch {
		case l.external || strings.HasPrefix(l.target, "#"):
		case notCopied[l.kind] != "":
			c.left[notCopied[l.kind]] = true
			gone[l.id] = true
			continue
		case target == nil || sharedKinds[l.kind]:
			if target != nil {
				l.target = targetOf(name, target.name)
			}
		default:
			made, err := c.copy(target)
			if err != nil {
				return "", err
			}
			l.target = targetOf(name, made)
		}
		kept = append(kept, l)
	}
	rw.added[slot].write, err = c.content(p, gone)
	if err != nil {
		return "", err
	}
	if len(kept) > 0 {
		rw.add(relsOf(name), "", writeText(relsXML(kept)))
	}
	return name, nil
}

// content gives what writes the copy of a part, without what the relationships lead to
// that are gone.
func (c *sheetCopy) content(p *part, gone map[string]bool) (func(*bufio.Writer) error, error) {
	switch kind := c.types.kindOf(p.name); {
	case strings.HasSuffix(c.types.of(p.name), "worksheet+xml"):
		return func(w *bufio.Writer) error { return c.sheet(p, w, gone) }, nil
	case kind == "chart":
		// The charts of the copy show the cells of the copy.
		f := newFollower(changes{rename{c.from, c.to}}, "")
		return func(w *bufio.Writer) error {
			return c.rw.transform(p, w, func(x *xmlScanner) error {
				if x.kind != startTag || string(x.name) != "f" {
					return nil
				}
				return x.rewriteElements(x.depth, f.keep)
			})
		}, nil
	case kind == "table":
		return c.table(p, gone)
	}
	return func(w *bufio.Writer) error {
		b, err := c.rw.wb.archive.open(c.rw.ctx, p, nil)
		if err != nil {
			return err
		}
		defer b.close()
		_, err = io.Copy(w, b)
		return err
	}, nil
}

// table gives a table's copy a name and an id of its own.
func (c *sheetCopy) table(p *part, gone map[string]bool) (func(*bufio.Writer) error, error) {
	list, err := c.rw.wb.trees(c.rw.ctx, p)
	if err != nil {
		return nil, err
	}
	root := rootOf(list)
	if root == nil {
		return nil, damaged("a table of the sheet %q is empty", clip(c.from))
	}
	old := root.get("displayName")
	name := ""
	for n := 1; name == "" || c.taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s_%d", old, n)
	}
	c.taken[strings.ToLower(name)] = true
	c.nextID++
	root.set("id", strconv.Itoa(c.nextID))
	root.set("name", name)
	root.set("displayName", name)
	c.tables = append(c.tables, tableRenamed{old, name})
	if len(gone) > 0 {
		root.set("tableType", "")
		if columns := root.child("tableColumns"); columns != nil {
			for _, k := range columns.kids {
				if k.name != "" {
					k.set("queryTableFieldId", "")
				}
			}
		}
	}
	return func(w *bufio.Writer) error {
		f := newFollower(c.tables, "")
		if _, err := f.kids(root); err != nil {
			return err
		}
		_, err := w.WriteString(xmlText(list))
		return err
	}, nil
}

// tableRenamed is a table that has another name.
type tableRenamed struct{ from, to string }

func (tableRenamed) touches(string) (plain, qualified bool) { return true, true }

func (t tableRenamed) follow(r *reference, _ string) verdict {
	if r.table != "" && strings.EqualFold(r.table, t.from) {
		r.table = t.to
		return changed
	}
	return kept
}

// sheet copies the sheet itself.
func (c *sheetCopy) sheet(p *part, w *bufio.Writer, gone map[string]bool) error {
	rw := c.rw
	old := rw.moves
	rw.moves = c.tables
	defer func() { rw.moves = old }()
	for _, s := range rw.wb.sheets {
		if s.part != p {
			continue
		}
		edits := &sheetEdits{unselect: true, lostRels: gone}
		return rw.sheet(s, edits, w)
	}
	return damaged("the sheet %q is missing", clip(c.from))
}

// localNames copies the names that belong to the sheet: its print area and titles, its
// filter, and others.
func (c *sheetCopy) localNames(i int) {
	wb := c.rw.wb
	at := strconv.Itoa(len(wb.sheets))
	f := newFollower(append(changes{rename{c.from, c.to}}, c.tables...), "")
	c.rw.element("definedNames", func(n *node) error {
		var made []*node
		for _, k := range n.kids {
			if home, err := strconv.Atoi(k.get("localSheetId")); k.name == "definedName" && err == nil && home == i {
				own, err := parseXML([]byte(xmlText([]*node{k})))
				if err != nil {
					return err
				}
				name := rootOf(own)
				name.set("localSheetId", at)
				name.setText(f.moves.formula(name.text(), ""))
				made = append(made, name)
			}
		}
		n.kids = append(n.kids, made...)
		return nil
	})
}

// unselected makes a sheet's copy one that is not in front, and leaves out what it has
// no part for.
func (sw *sheetWriter) unselected(n *node) bool {
	lost := sw.edits.lostRels
	switch n.name {
	case "sheetPr":
		n.set("codeName", "") // names the sheet's module, and only one can have it
	case "sheetViews":
		for _, k := range n.kids {
			if k.name == "sheetView" {
				k.set("tabSelected", "")
				k.keep(func(p *node) bool { return p.name != "pivotSelection" })
			}
		}
	case "extLst":
		n.keep(func(ext *node) bool {
			for _, k := range ext.kids {
				if strings.HasPrefix(k.name, "slicer") || strings.HasPrefix(k.name, "timeline") {
					return false
				}
			}
			return true
		})
		return n.elements() > 0
	}
	if len(lost) > 0 && n.name != "" {
		x := xmlScanner{attrs: n.attrs}
		return !lost[x.attr("id", true)] || prefixedID(n.attrs) == ""
	}
	return true
}

// CopyName proposes a name for a copy, as Excel does: Sheet1 (2).
func (wb *Workbook) CopyName(i int) string {
	base := wb.sheets[i].info.Name
	if dir, n, ok := strings.Cut(base, " ("); ok && strings.HasSuffix(n, ")") {
		if _, err := strconv.Atoi(strings.TrimSuffix(n, ")")); err == nil {
			base = dir
		}
	}
	for n := 2; ; n++ {
		end := fmt.Sprintf(" (%d)", n)
		name := base
		for sheet.CheckName(name+end) != nil && name != "" {
			_, size := utf8.DecodeLastRuneInString(name)
			name = name[:len(name)-size]
		}
		if wb.CheckSheetName(name+end, -1) == nil || n > maxSheets {
			return name + end
		}
	}
}
