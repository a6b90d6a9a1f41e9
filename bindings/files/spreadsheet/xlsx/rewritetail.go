package xlsx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// behindRows lists the elements behind the rows in the order in which they must stand.
const behindRows = " sheetCalcPr sheetProtection protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF drawingHF picture oleObjects controls webPublishItems tableParts extLst "

// follows tells whether an element stands behind another one in a sheet.
func follows(name, other string) bool {
	return strings.Contains(behindRows[strings.Index(behindRows, " "+other+" ")+len(other)+1:], " "+name+" ")
}

// tail copies what stands behind the rows, with new elements at their places.
func (sw *sheetWriter) tail() error {
	type addition struct {
		name string
		xml  func() string
	}
	var due []addition
	if f := sw.edits.filter; f != nil {
		due = append(due, addition{"autoFilter", func() string { return fmt.Sprintf(`<%sautoFilter ref="%s"/>`, sw.prefix, areaText(*f)) }})
	}
	if len(sw.edits.merged) > 0 {
		due = append(due, addition{"mergeCells", sw.mergeCells})
	}
	if o := sw.edits.objects; o != nil {
		for _, name := range objectElements {
			due = append(due, addition{name, func() string { return o.due(name, sw.prefix) }})
		}
	}
	return sw.rs.transform(sw.rs.copy, func(x *xmlScanner) error {
		end := x.kind == endTag && x.depth == 0
		if !end && (x.kind != startTag || x.depth != 2) {
			return nil
		}
		for len(due) > 0 && (end || follows(string(x.name), due[0].name)) {
			if x.kept < x.r { // at the end of an empty element nothing is left to stand before
				if err := x.insertBefore(due[0].xml()); err != nil {
					return err
				}
			}
			due = due[1:]
		}
		if end {
			return nil
		}
		return sw.section(x)
	})
}

func (sw *sheetWriter) mergeCells() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<%smergeCells count="%d">`, sw.prefix, len(sw.edits.merged))
	for _, r := range sw.edits.merged {
		fmt.Fprintf(&out, `<%smergeCell ref="%s"/>`, sw.prefix, areaText(r))
	}
	fmt.Fprintf(&out, `</%smergeCells>`, sw.prefix)
	return out.String()
}

// newViews is the element that says which rows and columns are frozen.
func (sw *sheetWriter) newViews() string {
	p := sw.prefix
	list := element(fmt.Sprintf(`<%ssheetViews><%ssheetView workbookViewId="0"/></%ssheetViews>`, p, p, p))
	sw.freezeIn(list)
	return xmlText([]*node{list})
}

// freezeIn sets the frozen rows and columns of a sheet's first view.
func (sw *sheetWriter) freezeIn(views *node) {
	view := views.child("sheetView")
	if view == nil {
		return
	}
	f := *sw.edits.freeze
	active, areas := "A1", "A1"
	if s := view.child("selection"); s != nil && s.get("activeCell") != "" {
		active, areas = s.get("activeCell"), s.get("sqref")
	}
	view.keep(func(k *node) bool { return k.name != "pane" && k.name != "selection" })
	p := view.prefix()
	add := func(xml string) *node { return element(strings.Replace(xml, "<", "<"+p, 1)) }
	var made []*node
	if f.rows > 0 || f.columns > 0 {
		pane := add(`<pane/>`)
		which := "bottomRight"
		if f.columns > 0 {
			pane.set("xSplit", strconv.Itoa(f.columns))
		} else {
			which = "bottomLeft"
		}
		if f.rows > 0 {
			pane.set("ySplit", strconv.Itoa(f.rows))
		} else {
			which = "topRight"
		}
		pane.set("topLeftCell", sheet.Ref{Col: f.columns + 1, Row: f.rows + 1}.String())
		pane.set("activePane", which)
		pane.set("state", "frozen")
		made = append(made, pane)
		if which == "bottomRight" {
			made = append(made, add(`<selection pane="topRight"/>`), add(`<selection pane="bottomLeft"/>`))
		}
		last := add(`<selection/>`)
		last.set("pane", which)
		last.set("activeCell", active)
		last.set("sqref", areas)
		made = append(made, last)
		view.set("topLeftCell", "")
	}
	if view.end == "" {
		view.tag = strings.TrimSuffix(strings.TrimSuffix(view.tag, ">"), "/") + ">"
		view.end = "</" + p + "sheetView>"
	}
	view.kids = append(made, view.kids...)
}
