package xlsx

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Chart is a chart over a sheet.
type Chart struct {
	Kind           string // column, bar, line, pie, scatter or area
	Title          string
	XTitle, YTitle string
	Series         []Series
	Stacked        bool
	Legend         string // right, bottom, top, left, or none

	At            sheet.Ref // its upper left corner
	Width, Height int       // pixels
}

// Series is what a chart shows in one colour.
type Series struct {
	Name       string // a text, unless NameAt is given
	NameAt     Place
	Values     Place
	Categories Place  // the names of the values, or the x of a scatter chart; may be none
	Numeric    bool   // the categories are numbers or dates
	Format     string // their number format, if they are dates
}

// Place is a range of a sheet.
type Place struct {
	Sheet string
	Area  sheet.Range
}

// None tells whether there is no place.
func (p Place) None() bool { return p.Area.MinRow == 0 }

// Formula gives the place as formulas name it. Without a sheet it is one of its own.
func (p Place) Formula() string {
	p.Area.MaxRow, p.Area.MaxCol = min(p.Area.MaxRow, sheet.MaxRow), min(p.Area.MaxCol, sheet.MaxCol)
	cell := func(col, row int) string { return "$" + sheet.ColName(col) + "$" + strconv.Itoa(row) }
	text := sheetPrefix(p.Sheet, "") + cell(p.Area.MinCol, p.Area.MinRow)
	if p.Area.Rows() > 1 || p.Area.Cols() > 1 {
		text += ":" + cell(p.Area.MaxCol, p.Area.MaxRow)
	}
	return text
}

// AddChart puts a chart on a sheet.
func (e *Edits) AddChart(i int, c Chart) error {
	o, err := e.decorate(i)
	if err == nil {
		o.charts = append(o.charts, &c)
	}
	return err
}

// FreeRow gives the first row below the charts and pictures of a sheet that reach into a
// column or lie to the right of it, those that are waiting to be written included; 1 if
// there are none. Rows and columns are taken to have their usual sizes.
func (e *Edits) FreeRow(ctx context.Context, wb *Workbook, i, col int) (int, error) {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return 0, err
	}
	row := 1
	take := func(right, bottom int) {
		if right >= col {
			row = max(row, bottom+2)
		}
	}
	drawings, err := wb.partsOf(ctx, s.part, "drawing")
	if err != nil {
		return 0, err
	}
	for _, p := range drawings {
		root, err := wb.tree(ctx, p)
		if err != nil {
			return 0, err
		}
		for _, anchor := range root.kids {
			number := func(of, name string) int {
				if n := anchor.child(of); n != nil {
					if n = n.child(name); n != nil {
						v, _ := strconv.Atoi(strings.TrimSpace(n.text()))
						return min(max(v, 0), sheet.MaxRow)
					}
				}
				return 0
			}
			right, bottom := number("to", "col")+1, number("to", "row")+1
			if ext := anchor.child("ext"); ext != nil {
				cx, _ := strconv.Atoi(ext.get("cx"))
				cy, _ := strconv.Atoi(ext.get("cy"))
				right, bottom = number("from", "col")+cells(cx/emuPerPixel, usualColumn), number("from", "row")+cells(cy/emuPerPixel, usualRow)
			}
			if anchor.name == "twoCellAnchor" || anchor.name == "oneCellAnchor" {
				take(right, bottom)
			}
		}
	}
	if edits := e.sheets[i]; edits != nil && edits.objects != nil {
		for _, c := range edits.objects.charts {
			take(c.At.Col-1+cells(c.Width, usualColumn), c.At.Row-1+cells(c.Height, usualRow))
		}
	}
	return min(row, sheet.MaxRow), nil
}

// The usual sizes of columns and rows, in pixels.
const (
	usualColumn = 64
	usualRow    = 20
)

// cells is how many rows or columns something covers.
func cells(pixels, usual int) int {
	return min(max(pixels+usual-1, 0)/usual, sheet.MaxRow)
}

const (
	chartSpace   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	drawingSpace = "http://schemas.openxmlformats.org/drawingml/2006/main"
	anchorSpace  = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
	drawingType  = "application/vnd.openxmlformats-officedocument.drawing+xml"
	chartType    = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
	emuPerPixel  = 9525
)

// charts plans the charts of a sheet: their parts, and the drawing that places them.
func (rw *rewriter) charts(s *worksheet, o *objects, links *linker) error {
	drawings, err := rw.wb.partsOf(rw.ctx, s.part, "drawing")
	if err != nil {
		return err
	}
	name := ""
	if len(drawings) > 0 {
		name = drawings[0].name
	} else {
		name = rw.free("xl/drawings/drawing1.xml")
	}
	var chartIDs []string
	for _, c := range o.charts {
		part := rw.free("xl/charts/chart1.xml")
		rw.add(part, chartType, writeText(c.xml()))
		id, err := links.add(name, "chart", targetOf(name, part))
		if err != nil {
			return err
		}
		chartIDs = append(chartIDs, id)
	}
	place := func(root *node) error {
		next := max(highestShape(root), 1)
		for k, c := range o.charts {
			next++
			root.add(c.anchor(next, chartIDs[k]))
		}
		return nil
	}
	if len(drawings) > 0 {
		rw.whole(drawings[0], place)
		return nil
	}
	root := element(`<xdr:wsDr xmlns:xdr="` + anchorSpace + `" xmlns:a="` + drawingSpace + `"/>`)
	if err := place(root); err != nil {
		return err
	}
	rw.add(name, drawingType, writeText(xmlHead+xmlText([]*node{root})))
	o.drawing, err = links.add(s.part.name, "drawing", targetOf(s.part.name, name))
	return err
}

// highestShape gives the highest id of the shapes of a drawing.
func highestShape(n *node) (highest int) {
	if n.name == "cNvPr" {
		highest, _ = strconv.Atoi(n.get("id"))
	}
	for _, k := range n.kids {
		highest = max(highest, highestShape(k))
	}
	return highest
}

// anchor is the element of a drawing that places the chart. It declares its namespaces
// itself, whatever those of the drawing are called.
func (c *Chart) anchor(id int, rel string) string {
	return fmt.Sprintf(`<xdr:oneCellAnchor xmlns:xdr="%s" xmlns:a="%s"><xdr:from><xdr:col>%d</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>`+
		`<xdr:ext cx="%d" cy="%d"/><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="%d" name="Chart %d"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>`+
		`<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="%s"><c:chart xmlns:c="%s" xmlns:r="%s" r:id="%s"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`,
		anchorSpace, drawingSpace, c.At.Col-1, c.At.Row-1, c.Width*emuPerPixel, c.Height*emuPerPixel, id, id-1, chartSpace, chartSpace, relsSpace, rel)
}

// xml is the chart's part. Values are not cached in it: programs take them from the cells.
func (c *Chart) xml() string {
	var out strings.Builder
	fmt.Fprintf(&out, xmlHead+`<c:chartSpace xmlns:c="%s" xmlns:a="%s" xmlns:r="%s"><c:roundedCorners val="0"/><c:chart>`, chartSpace, drawingSpace, relsSpace)
	if c.Title != "" {
		out.WriteString(title(c.Title))
	}
	none := "0"
	if c.Title == "" {
		none = "1"
	}
	fmt.Fprintf(&out, `<c:autoTitleDeleted val="%s"/><c:plotArea><c:layout/>`, none)
	c.plot(&out)
	out.WriteString(`</c:plotArea>`)
	if pos := map[string]string{"": "r", "right": "r", "left": "l", "top": "t", "bottom": "b"}[c.Legend]; pos != "" {
		fmt.Fprintf(&out, `<c:legend><c:legendPos val="%s"/><c:overlay val="0"/></c:legend>`, pos)
	}
	out.WriteString(`<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`)
	return out.String()
}

func title(text string) string {
	return `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>` + escapeText(text) + `</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`
}

// plot writes the series and their axes.
func (c *Chart) plot(out *strings.Builder) {
	const axes = `<c:axId val="111111111"/><c:axId val="222222222"/>`
	grouping, overlap := "clustered", ""
	if c.Stacked {
		grouping, overlap = "stacked", `<c:overlap val="100"/>`
	}
	if c.Kind == "line" || c.Kind == "area" {
		grouping = map[bool]string{false: "standard", true: "stacked"}[c.Stacked]
	}
	switch c.Kind {
	case "column", "bar":
		direction := map[string]string{"column": "col", "bar": "bar"}[c.Kind]
		fmt.Fprintf(out, `<c:barChart><c:barDir val="%s"/><c:grouping val="%s"/><c:varyColors val="0"/>`, direction, grouping)
		c.series(out)
		out.WriteString(`<c:gapWidth val="150"/>` + overlap + axes + `</c:barChart>`)
	case "line":
		fmt.Fprintf(out, `<c:lineChart><c:grouping val="%s"/><c:varyColors val="0"/>`, grouping)
		c.series(out)
		out.WriteString(`<c:marker val="1"/>` + axes + `</c:lineChart>`)
	case "area":
		fmt.Fprintf(out, `<c:areaChart><c:grouping val="%s"/><c:varyColors val="0"/>`, grouping)
		c.series(out)
		out.WriteString(axes + `</c:areaChart>`)
	case "scatter":
		out.WriteString(`<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>`)
		c.series(out)
		out.WriteString(axes + `</c:scatterChart>`)
	case "pie":
		out.WriteString(`<c:pieChart><c:varyColors val="1"/>`)
		c.series(out)
		out.WriteString(`<c:firstSliceAng val="0"/></c:pieChart>`)
		return
	}
	across, up := "b", "l"
	if c.Kind == "bar" {
		across, up = "l", "b"
	}
	kind, format := "catAx", ""
	if c.Kind == "scatter" {
		kind = "valAx"
	}
	if len(c.Series) > 0 {
		format = c.Series[0].Format
	}
	chartAxis(out, kind, 111111111, 222222222, across, c.XTitle, format, false)
	chartAxis(out, "valAx", 222222222, 111111111, up, c.YTitle, "", true)
}

func chartAxis(out *strings.Builder, kind string, id, crosses int, position, name, format string, grid bool) {
	fmt.Fprintf(out, `<c:%s><c:axId val="%d"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="%s"/>`, kind, id, position)
	if grid {
		out.WriteString(`<c:majorGridlines/>`)
	}
	if name != "" {
		out.WriteString(title(name))
	}
	linked := "0"
	if format == "" { // that of the cells
		format, linked = "General", "1"
	}
	fmt.Fprintf(out, `<c:numFmt formatCode="%s" sourceLinked="%s"/>`, escapeAttr(format), linked)
	out.WriteString(`<c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>`)
	fmt.Fprintf(out, `<c:crossAx val="%d"/><c:crosses val="autoZero"/>`, crosses)
	if kind == "catAx" {
		out.WriteString(`<c:auto val="1"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/><c:noMultiLvlLbl val="0"/>`)
	} else {
		out.WriteString(`<c:crossBetween val="` + map[bool]string{true: "between", false: "midCat"}[grid] + `"/>`)
	}
	fmt.Fprintf(out, `</c:%s>`, kind)
}

func (c *Chart) series(out *strings.Builder) {
	for i, s := range c.Series {
		fmt.Fprintf(out, `<c:ser><c:idx val="%d"/><c:order val="%d"/>`, i, i)
		switch {
		case !s.NameAt.None():
			fmt.Fprintf(out, `<c:tx><c:strRef><c:f>%s</c:f></c:strRef></c:tx>`, escapeText(s.NameAt.Formula()))
		case s.Name != "":
			fmt.Fprintf(out, `<c:tx><c:v>%s</c:v></c:tx>`, escapeText(s.Name))
		}
		switch c.Kind {
		case "column", "bar":
			out.WriteString(`<c:invertIfNegative val="0"/>`)
		case "line":
			out.WriteString(`<c:marker><c:symbol val="none"/></c:marker>`)
		case "scatter":
			out.WriteString(`<c:spPr><a:ln w="19050"><a:noFill/></a:ln></c:spPr>`)
		}
		categories, values := "cat", "val"
		if c.Kind == "scatter" {
			categories, values = "xVal", "yVal"
		}
		if !s.Categories.None() {
			kind := "strRef"
			if c.Kind == "scatter" || s.Numeric {
				kind = "numRef"
			}
			fmt.Fprintf(out, `<c:%s><c:%s><c:f>%s</c:f></c:%s></c:%s>`, categories, kind, escapeText(s.Categories.Formula()), kind, categories)
		}
		fmt.Fprintf(out, `<c:%s><c:numRef><c:f>%s</c:f></c:numRef></c:%s>`, values, escapeText(s.Values.Formula()), values)
		if c.Kind == "line" || c.Kind == "scatter" {
			out.WriteString(`<c:smooth val="0"/>`)
		}
		out.WriteString(`</c:ser>`)
	}
}
