package xlsx

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

const worksheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"

// CheckSheetName tells whether a sheet may be called so: invalid_argument or exists if not.
// i is the sheet that gets the name, -1 for a new one.
func (wb *Workbook) CheckSheetName(name string, i int) error {
	if err := sheet.CheckName(name); err != nil {
		return err
	}
	for k, s := range wb.sheets {
		if k != i && strings.EqualFold(s.info.Name, name) {
			return problem.New(problem.Exists, "there is a sheet %q already", s.info.Name).
				WithHint("Use another name, or write to the sheet that exists.")
		}
	}
	if len(wb.sheets) >= maxSheets {
		return tooComplex("the workbook would have more than %d sheets", maxSheets)
	}
	return nil
}

// AddSheet writes the workbook with its edits and a new, empty sheet at the end.
func (wb *Workbook) AddSheet(ctx context.Context, w io.Writer, e *Edits, name string) error {
	if err := wb.CheckSheetName(name, -1); err != nil {
		return err
	}
	return wb.rewrite(ctx, w, e, func(rw *rewriter) error {
		part := rw.free(resolve(wb.main.name, "worksheets/sheet1.xml"))
		space, err := rw.listSheet(name, part, "")
		if err != nil {
			return err
		}
		rw.add(part, worksheetType, writeText(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"+
			`<worksheet xmlns="`+escapeXML(space)+`"><sheetData/></worksheet>`))
		return nil
	})
}

// strictSpace is mainSpace in the strict variant of the standard.
const strictSpace = "http://purl.oclc.org/ooxml/spreadsheetml/main"

// listSheet puts a new sheet at the end of the workbook's list, and gives the namespace
// of the workbook's sheets.
func (rw *rewriter) listSheet(name, part, state string) (space string, err error) {
	wb := rw.wb
	id, err := rw.linkTo(wb.main, "worksheet", part)
	if err != nil {
		return "", err
	}
	space = mainSpace
	if links, err := wb.links(rw.ctx, wb.main.name); err == nil {
		for _, l := range links {
			if strings.HasPrefix(l.full, "http://purl.oclc.org/") {
				space = strictSpace
			}
		}
	}
	rw.element("sheets", func(n *node) error {
		next, attr := 1, ""
		for _, k := range n.kids {
			if k.name != "sheet" {
				continue
			}
			if have, err := strconv.Atoi(k.get("sheetId")); err == nil {
				next = max(next, have+1)
			}
			if found := prefixedID(k.attrs); found != "" {
				attr = found
			}
		}
		if attr == "" {
			return damaged("the workbook's list of sheets is broken")
		}
		if state != "" {
			state = ` state="` + state + `"`
		}
		n.kids = append(n.kids, &node{name: "sheet", tag: fmt.Sprintf(`<%ssheet name="%s" sheetId="%d"%s %s="%s"/>`, n.prefix(), escapeXML(name), next, state, attr, id)})
		return nil
	})
	return space, nil
}

// prefixedID gives the name of the id attribute that has a prefix, such as r:id.
func prefixedID(attrs []byte) string {
	for rest := attrs; ; {
		name, _, more, ok := nextAttr(rest)
		if !ok {
			return ""
		}
		if strings.HasSuffix(string(name), ":id") {
			return string(name)
		}
		rest = more
	}
}

// RenameSheet writes the workbook with its edits and another name for a sheet, wherever
// it is named.
func (wb *Workbook) RenameSheet(ctx context.Context, w io.Writer, e *Edits, i int, name string) error {
	if err := wb.CheckSheetName(name, i); err != nil {
		return err
	}
	return wb.rewriteAfter(ctx, w, e, changes{rename{wb.sheets[i].info.Name, name}}, func(rw *rewriter) error {
		rw.element("sheets", func(n *node) error {
			if s := nth(n, "sheet", i); s != nil {
				s.set("name", name)
			}
			return nil
		})
		return nil
	})
}

func nth(n *node, name string, i int) *node {
	for _, k := range n.kids {
		if k.name == name {
			if i == 0 {
				return k
			}
			i--
		}
	}
	return nil
}

// DeleteSheet writes the workbook with its edits and without a sheet, its drawings,
// tables and names. What refers to it becomes #REF!.
func (wb *Workbook) DeleteSheet(ctx context.Context, w io.Writer, e *Edits, i int) error {
	s := wb.sheets[i]
	visible := 0
	for k, other := range wb.sheets {
		if k != i && other.info.State == sheet.Visible {
			visible++
		}
	}
	if visible == 0 {
		return problem.New(problem.InvalidArgument, "name: %q is the last visible sheet; a workbook needs one", clip(s.info.Name)).
			WithHint("Add a sheet first.").With("argument", "name")
	}
	order := make([]string, len(wb.sheets))
	for k, other := range wb.sheets {
		order[k] = other.info.Name
	}
	list := changes{removal{s.info.Name, order}}
	if s.part != nil {
		tables, err := wb.partsOf(ctx, s.part, "table")
		if err != nil {
			return err
		}
		for _, p := range tables {
			if root, err := wb.tree(ctx, p); err == nil && root.get("displayName") != "" {
				list = append(list, tableGone{root.get("displayName")})
			}
		}
	}
	own := *e // without the edits of the sheet that goes
	own.sheets = map[int]*sheetEdits{}
	for k, edits := range e.sheets {
		if k != i {
			own.sheets[k] = edits
		}
	}
	own.tables = nil
	for _, t := range e.tables {
		if t.sheet != i {
			own.tables = append(own.tables, t)
		}
	}
	return wb.rewriteAfter(ctx, w, &own, list, func(rw *rewriter) error { return rw.dropSheet(i) })
}

func (rw *rewriter) dropSheet(i int) error {
	wb := rw.wb
	if p := wb.sheets[i].part; p != nil {
		below, err := wb.onlyBelow(rw.ctx, p)
		if err != nil {
			return err
		}
		for _, q := range below {
			if err := rw.leaveOut(q); err != nil {
				return err
			}
		}
	}
	tab := func(n *node, attr string) {
		if at, err := strconv.Atoi(n.get(attr)); err == nil && (at > i || at == len(wb.sheets)-1) && at > 0 {
			n.set(attr, strconv.Itoa(at-1))
		}
	}
	drop := func(n *node) error {
		at := -1
		n.keep(func(k *node) bool {
			switch k.name {
			case "workbookView":
				tab(k, "activeTab")
				tab(k, "firstSheet")
			case "sheet":
				at++
				return at != i
			case "definedName":
				home, err := strconv.Atoi(k.get("localSheetId"))
				if err == nil && home == i {
					return false
				}
				if err == nil && home > i {
					k.set("localSheetId", strconv.Itoa(home-1))
				}
			}
			return true
		})
		return nil
	}
	for _, name := range []string{"bookViews", "sheets", "definedNames"} {
		rw.element(name, drop)
	}
	return nil
}
