package xlsx

import (
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// follower makes what a part says of places follow changes: attributes and texts that
// hold references, by the names of their elements.
type follower struct {
	moves changes
	own   shifts // those of the sheet that the part belongs to
	home  string // the name of that sheet, "" if the part belongs to none
}

func newFollower(moves changes, home string) *follower {
	return &follower{moves, moves.of(home), home}
}

// places are attributes that hold a range, by element: the element goes with its cells.
var places = map[string]string{
	"mergeCell": "ref", "hyperlink": "ref", "autoFilter": "ref", "sortState": "ref", "sortCondition": "ref", "comment": "ref",
	"threadedComment": "ref", "location": "ref", "protectedRange": "sqref", "ignoredError": "sqref", "cellWatch": "r",
	"cellSmartTags": "r", "inputCells": "r", "singleXmlCell": "r",
}

// formulaAttrs are attributes that hold a formula, by element.
var formulaAttrs = map[string][]string{
	"hyperlink": {"location"}, "controlPr": {"linkedCell", "listFillRange"}, "formControlPr": {"fmlaLink", "fmlaRange", "fmlaTxbx", "fmlaGroup"},
	"sp": {"textlink"}, "cxnSp": {"textlink"}, "pic": {"textlink"},
}

// stays are elements that mean something without their children.
var stays = map[string]bool{"sheetView": true, "sheetViews": true, "customSheetView": true, "autoFilter": true, "hyperlink": true, "comment": true, "filterColumn": true}

// node makes an element and what is in it follow; false if it has to go.
func (f *follower) node(n *node) (bool, error) {
	switch n.name {
	case "":
		return true, nil
	case "conditionalFormatting", "dataValidation", "sparkline":
		return f.relative(n), nil
	case "rowBreaks", "colBreaks":
		return f.breaks(n), nil
	case "twoCellAnchor", "oneCellAnchor", "anchor":
		f.anchor(n)
	case "pane":
		f.pane(n)
	case "selection":
		f.selection(n)
	case "sheetView", "customSheetView":
		f.near(n, "topLeftCell")
	case "autoFilter":
		f.filterColumns(n)
	case "dataRef":
		f.source(n)
		return true, nil
	case "f", "formula", "formula1", "formula2", "calculatedColumnFormula", "totalsRowFormula":
		if n.elements() == 0 {
			if text := n.text(); text != "" {
				n.setText(f.moves.formula(text, f.home))
			}
			return true, nil
		}
	case "sqref":
		if moved := f.own.areas(n.text()); moved != "" {
			n.setText(moved)
		}
		return true, nil
	}
	for _, name := range formulaAttrs[n.name] {
		if text := n.get(name); text != "" {
			n.set(name, f.moves.formula(text, f.home))
		}
	}
	if name := places[n.name]; name != "" && n.has(name) && len(f.own) > 0 {
		moved := f.own.areas(n.get(name))
		if moved == "" || n.name == "mergeCell" && !strings.Contains(moved, ":") {
			return false, nil
		}
		n.set(name, moved)
	}
	return f.kids(n)
}

// kids makes an element's children follow; false if none is left that it could do without.
func (f *follower) kids(n *node) (bool, error) {
	before := n.elements()
	var err error
	n.keep(func(k *node) bool {
		if err != nil {
			return true
		}
		ok, e := f.node(k)
		err = e
		return ok
	})
	after := n.elements()
	if after == before {
		return true, err
	}
	if n.has("count") {
		n.set("count", strconv.Itoa(after))
	}
	if n.name == "sparklineGroup" && n.child("sparklines") == nil {
		return false, err
	}
	return after > 0 || stays[n.name], err
}

// relative handles what has areas and formulas that are relative to their first cell.
func (f *follower) relative(n *node) bool {
	areas, inText := n.get("sqref"), (*node)(nil)
	var holders []*node // of formulas
	var values []*node  // with a formula in their val
	var walk func(k *node)
	walk = func(k *node) {
		switch {
		case k.name == "sqref":
			inText = k
			areas = k.text()
		case (k.name == "formula" || k.name == "f" || k.name == "formula1" || k.name == "formula2") && k.elements() == 0:
			holders = append(holders, k)
		case k.name == "cfvo" && k.get("val") != "":
			values = append(values, k)
		}
		for _, kid := range k.kids {
			walk(kid)
		}
	}
	walk(n)
	formulas := make([]string, 0, len(holders)+len(values))
	for _, h := range holders {
		formulas = append(formulas, h.text())
	}
	for _, v := range values {
		formulas = append(formulas, v.get("val"))
	}
	moved, formulas := f.moves.relative(areas, formulas, f.home)
	if moved == "" && areas != "" {
		return false
	}
	if inText != nil {
		inText.setText(moved)
	} else {
		n.set("sqref", moved)
	}
	for i, h := range holders {
		if formulas[i] != "" {
			h.setText(formulas[i])
		}
	}
	for i, v := range values {
		v.set("val", formulas[len(holders)+i])
	}
	return true
}

func (f *follower) near(n *node, attr string) {
	if at, err := sheet.ParseRef(n.get(attr)); err == nil {
		n.set(attr, f.own.near(at).String())
	}
}

// pane handles the frozen rows and columns: what is inserted among them is frozen too.
func (f *follower) pane(n *node) {
	f.near(n, "topLeftCell")
	if state := n.get("state"); state != "frozen" && state != "frozenSplit" {
		return
	}
	for _, s := range f.own {
		attr := "ySplit"
		if s.columns {
			attr = "xSplit"
		}
		if size, err := strconv.ParseFloat(n.get(attr), 64); err == nil && size >= 1 && size < 1<<20 {
			n.set(attr, strconv.Itoa(s.frozen(int(size))))
		}
	}
}

// frozen says how many rows or columns are frozen afterwards, at least one.
func (s shift) frozen(size int) int {
	_, hi, ok := s.span(1, size)
	if !ok {
		return 1
	}
	return max(hi, 1)
}

func (f *follower) selection(n *node) {
	f.near(n, "activeCell")
	if areas := n.get("sqref"); areas != "" {
		if moved := f.own.areas(areas); moved != "" {
			n.set("sqref", moved)
		} else if n.has("activeCell") {
			n.set("sqref", n.get("activeCell"))
		}
	}
}

// filterColumns are counted from the first column of their filter.
func (f *follower) filterColumns(n *node) {
	r, err := sheet.ParseRange(n.get("ref"))
	if err != nil || len(f.own) == 0 {
		return
	}
	now, ok := f.own.area(r)
	if !ok {
		return
	}
	n.keep(func(k *node) bool {
		id, err := strconv.Atoi(k.get("colId"))
		if k.name != "filterColumn" || err != nil {
			return true
		}
		at := sheet.Ref{Col: r.MinCol + id, Row: 1}
		for _, s := range f.own {
			if s.columns {
				if at, ok = s.cell(at); !ok {
					return false
				}
			}
		}
		k.set("colId", strconv.Itoa(at.Col-now.MinCol))
		return true
	})
}

// breaks handles page breaks, which lie behind the row or column that they name and
// stay in front of the one that follows it.
func (f *follower) breaks(n *node) bool {
	columns := n.name == "colBreaks"
	seen := map[string]bool{}
	before := n.elements()
	n.keep(func(k *node) bool {
		id, err := strconv.Atoi(k.get("id"))
		if err != nil || id < 1 {
			return true
		}
		for _, s := range f.own {
			if s.columns == columns {
				next, _ := s.index(id + 1)
				id = min(next-1, s.max())
			}
		}
		k.set("id", strconv.Itoa(id))
		ok := id > 0 && !seen[k.get("id")]
		seen[k.get("id")] = true
		return ok
	})
	if n.elements() == before {
		return true
	}
	manual := 0
	for _, k := range n.kids {
		if k.name != "" && k.get("man") == "1" {
			manual++
		}
	}
	n.set("count", strconv.Itoa(n.elements()))
	n.set("manualBreakCount", strconv.Itoa(manual))
	return n.elements() > 0
}

// source handles what names a range and its sheet in two attributes.
func (f *follower) source(n *node) {
	name := n.get("sheet")
	r, err := sheet.ParseRange(n.get("ref"))
	if err == nil && name != "" && n.get("ref") != "" {
		if moved, ok := shifts(f.moves.of(name)).area(r); ok && moved != r {
			n.set("ref", moved.String())
		}
	}
	for _, c := range f.moves {
		if to, ok := c.(rename); ok && strings.EqualFold(name, to.from) {
			name = to.to
			n.set("sheet", name)
		}
	}
}
