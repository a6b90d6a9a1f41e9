package pdfium

// Target is where a bookmark or a link leads: to a page, or to an address.
type Target struct {
	Page int // -1 is none
	// X and Y are the place on the page that is shown, as a person sees it; HasPlace is
	// whether there is one.
	X, Y     float64
	HasPlace bool
	URL      string
}

// Bookmark is an entry of the document's outline.
type Bookmark struct {
	Title string
	Level int // from 0
	Target
}

// maxBookmarks and maxLevels bound outlines, which may go round in circles.
const (
	maxBookmarks = 20_000
	maxLevels    = 64
)

// Outline lists the bookmarks in order, each before those below it.
func (d *Document) Outline() (all []Bookmark, err error) {
	defer guard(&err)
	seen := map[ptr]bool{}
	var walk func(parent ptr, level int)
	walk = func(parent ptr, level int) {
		for b := d.m.FPDFBookmark_GetFirstChild(d.doc, parent); b != 0 && !seen[b] && len(all) < maxBookmarks; b = d.m.FPDFBookmark_GetNextSibling(d.doc, b) {
			seen[b] = true
			title := d.m.wideOf(func(buf ptr, size int) int { return d.m.FPDFBookmark_GetTitle(b, buf, size) })
			all = append(all, Bookmark{title, level, d.target(d.m.FPDFBookmark_GetDest(d.doc, b), d.m.FPDFBookmark_GetAction(b))})
			if level < maxLevels {
				walk(b, level+1)
			}
		}
	}
	walk(0, 0)
	return all, nil
}

// Kinds of actions.
const (
	actionGoTo = 1
	actionURI  = 3
)

// target reads where a destination or, if there is none, an action leads.
func (d *Document) target(destination, action ptr) Target {
	t := Target{Page: -1}
	if action != 0 {
		switch d.m.FPDFAction_GetType(action) {
		case actionGoTo:
			if destination == 0 {
				destination = d.m.FPDFAction_GetDest(d.doc, action)
			}
		case actionURI:
			t.URL = d.m.narrowOf(func(buf ptr, size int) int { return d.m.FPDFAction_GetURIPath(d.doc, action, buf, size) })
		}
	}
	if destination == 0 {
		return t
	}
	if t.Page = d.m.FPDFDest_GetDestPageIndex(d.doc, destination); t.Page < 0 || t.Page >= d.m.FPDF_GetPageCount(d.doc) {
		t.Page = -1
		return t
	}
	out := d.m.alloc(24)
	defer d.m.drop(out)
	if d.m.FPDFDest_GetLocationInPage(destination, out, out+4, out+8, out+12, out+16, out+20) == 0 {
		return t
	}
	has, at := d.m.ints(out, 2), d.m.floats(out+12, 2)
	f := d.rawFrame(t.Page)
	x, y := f.box.Left, f.box.Top // what is not given is the page's corner
	if has[0] != 0 {
		x = at[0]
	}
	if has[1] != 0 {
		y = at[1]
	}
	t.X, t.Y = f.point(x, y)
	t.HasPlace = has[0] != 0 || has[1] != 0
	return t
}
