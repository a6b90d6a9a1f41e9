package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// names plans what becomes of the defined names: they follow, and a sheet with a new
// filter gets the hidden name by which Excel knows it.
func (rw *rewriter) names(e *Edits) {
	filters := map[int]string{}
	for _, i := range e.touchedSheets() {
		if f := e.sheets[i].filter; f != nil {
			r := reference{first: rw.wb.sheets[i].info.Name, isRange: true,
				a: corner{f.MinCol, f.MinRow, true, true}, b: corner{f.MaxCol, f.MaxRow, true, true}}
			// Names follow all moves, and the filter is where it is after those of cells.
			filters[i] = changes(e.late()).formula(r.String(), "")
		}
	}
	if len(rw.moves) == 0 && len(filters) == 0 {
		return
	}
	done := false
	// Elements that come behind definedNames, where it would have to stand.
	behind := " calcPr oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes webPublishing fileRecoveryPr webPublishObjects extLst "
	rw.element("definedNames", func(n *node) error {
		done = true
		rw.follows(n, filters)
		return nil
	})
	rw.visit(rw.wb.main, func(x *xmlScanner) error {
		switch {
		case done:
		case len(filters) > 0 && (x.kind == startTag && x.depth == 2 && strings.Contains(behind, " "+string(x.name)+" ") ||
			x.kind == endTag && x.depth == 0 && x.kept < x.r):
			done = true
			prefix := prefixOf(x.tagText())
			n := element("<" + prefix + "definedNames></" + prefix + "definedNames>")
			rw.follows(n, filters)
			return x.insertBefore(xmlText([]*node{n}))
		}
		return nil
	})
}

// follows handles the list of defined names.
func (rw *rewriter) follows(n *node, filters map[int]string) {
	n.keep(func(k *node) bool {
		f := newFollower(rw.moves, "")
		i, err := strconv.Atoi(k.get("localSheetId"))
		local := err == nil && i >= 0 && i < len(rw.wb.sheets)
		if local {
			f.home = rw.wb.sheets[i].info.Name
			if filters[i] != "" && strings.EqualFold(k.get("name"), "_xlnm._FilterDatabase") {
				return false
			}
		}
		return f.definedName(k)
	})
	for i := range rw.wb.sheets {
		if text := filters[i]; text != "" {
			n.kids = append(n.kids, element(fmt.Sprintf(`<%sdefinedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">%s</%sdefinedName>`,
				n.prefix(), i, escapeText(text), n.prefix())))
		}
	}
}

// late lists the changes that come behind those of rows and columns.
func (e *Edits) late() (list []change) {
	for _, c := range e.moves {
		switch c.(type) {
		case rename, removal:
			list = append(list, c)
		}
	}
	return list
}

// definedName makes a name follow; false if it has to go: a print area or a filter of
// cells that are gone.
func (f *follower) definedName(n *node) bool {
	before := n.text()
	after := f.moves.formula(before, f.home)
	if after == before {
		return true
	}
	name := n.get("name")
	if strings.HasPrefix(strings.ToLower(name), "_xlnm.") && strings.Contains(after, "#REF!") {
		// Of several areas those that are left stay.
		parts := slices.DeleteFunc(splitAreas(after), func(p string) bool { return strings.Contains(p, "#REF!") })
		if after = strings.Join(parts, ","); after == "" {
			return false
		}
	}
	n.setText(after)
	return true
}

// splitAreas takes a list of areas apart at its commas.
func splitAreas(text string) (parts []string) {
	from := 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '\'', '"':
			i = quoteEnd(text, i, text[i])
		case ',':
			parts = append(parts, text[from:i])
			i++
			from = i
		default:
			i++
		}
	}
	return append(parts, text[from:])
}
