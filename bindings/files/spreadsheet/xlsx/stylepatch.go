package xlsx

import (
	"bufio"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/numfmt"
)

// StyleChange says what of a cell's look changes; nil leaves it. Colours are RRGGBB, ""
// for none; sizes are points.
type StyleChange struct {
	Bold, Italic, Underline, Strike *bool
	Font                            *string
	FontSize                        *float64
	Color, Fill                     *string
	Horizontal, Vertical            *string
	Wrap                            *bool
	NumberFormat                    *string
	Border                          map[string]BorderLine // by side: left, right, top, bottom
}

// BorderLine is a side of a border. Style is thin, medium, thick, dashed, dotted,
// double, hair or none.
type BorderLine struct{ Style, Color string }

// stylePatch adds styles to a workbook's styles part. A new one is an existing one with
// changes, so that what this package does not know of it stays.
type stylePatch struct {
	wb      *Workbook
	part    *part  // nil if the workbook has none
	newName string // of the part that is made then
	ctx     context.Context

	prefix string
	old    *styles
	xfs    []string // the XML of each xf, those that are added included
	fonts  []string
	fills  []string
	border []string
	codes  map[string]int // number formats added, by code
	nextID int

	has   map[string]bool     // sections that the part has
	had   [4]int              // xfs, fonts, fills and borders that it has
	made  map[patchKey]uint32 // styles added
	dates map[uint32]bool     // of styles added, whether they are dates

	dxfs    []string // looks of rules that are added
	hadDxfs int      // how many the part has
}

type patchKey struct {
	base   uint32
	change *StyleChange
}

func (wb *Workbook) newStylePatch(ctx context.Context) (*stylePatch, error) {
	old, err := wb.styles.get(ctx, wb)
	if err != nil {
		return nil, err
	}
	return &stylePatch{wb: wb, part: wb.styles.part, ctx: ctx, old: old,
		codes: map[string]int{}, made: map[patchKey]uint32{}, dates: map[uint32]bool{}}, nil
}

// load reads the XML of what styles are made of, when the first one is added.
func (p *stylePatch) load() error {
	if p.xfs != nil {
		return nil
	}
	p.nextID, p.has = 164, map[string]bool{}
	for id := range p.old.codes {
		p.nextID = max(p.nextID, id+1)
	}
	err := p.scan(func(x *xmlScanner) error {
		var sink strings.Builder
		x.copy, x.kept = bufio.NewWriter(&sink), x.r
		for {
			x.drop()
			if err := x.next(); err != nil {
				return err
			}
			if x.kind == endOfPart {
				return nil
			}
			if x.kind != startTag {
				continue
			}
			if x.depth == 1 {
				p.prefix = prefixOf(x.tagText())
			}
			if x.depth == 2 {
				p.has[string(x.name)] = true
			}
			if x.depth == 3 && string(x.name) == "dxf" {
				p.hadDxfs++
			}
			list, child := p.list(string(x.name))
			if x.depth != 2 || list == nil || x.empty {
				continue
			}
			err := x.each(child, func() error {
				tag := x.tagText()
				if x.empty {
					*list = append(*list, tag)
					x.drop()
					return nil
				}
				x.drop()
				if err := x.skip(); err != nil {
					return err
				}
				*list = append(*list, tag+string(x.buf[x.kept:x.r]))
				x.drop()
				return nil
			})
			if err != nil {
				return err
			}
		}
	})
	p.had = [4]int{len(p.xfs), len(p.fonts), len(p.fills), len(p.border)}
	// What is not there at all needs its default first, and the first two fills are reserved.
	atLeast := func(list *[]string, xml ...string) {
		for i := len(*list); i < len(xml); i++ {
			*list = append(*list, p.tags(xml[i]))
		}
	}
	atLeast(&p.xfs, `<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>`)
	atLeast(&p.fonts, `<font><sz val="11"/><name val="Calibri"/></font>`)
	atLeast(&p.fills, `<fill><patternFill patternType="none"/></fill>`, `<fill><patternFill patternType="gray125"/></fill>`)
	atLeast(&p.border, `<border><left/><right/><top/><bottom/><diagonal/></border>`)
	return err
}

// noStyles is the styles part of a workbook that has none.
const noStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dxfs count="0"/></styleSheet>`

// scan reads the styles part.
func (p *stylePatch) scan(fn func(*xmlScanner) error) error {
	if p.part == nil {
		return fn(&xmlScanner{stream: newStream(strings.NewReader(noStyles), make([]byte, 512))})
	}
	return p.wb.scan(p.ctx, p.part, fn)
}

func (p *stylePatch) list(name string) (list *[]string, child string) {
	switch name {
	case "cellXfs":
		return &p.xfs, "xf"
	case "fonts":
		return &p.fonts, "font"
	case "fills":
		return &p.fills, "fill"
	case "borders":
		return &p.border, "border"
	}
	return nil, ""
}

// isDate tells whether a style shows numbers as dates.
func (p *stylePatch) isDate(style uint32) bool {
	if date, ok := p.dates[style]; ok {
		return date
	}
	return int(style) < len(p.old.isDate) && p.old.isDate[style]
}

// dayStyle and momentStyle are what a date gets whose cell has no date's format.
var (
	dayFormat    = "yyyy-mm-dd"
	momentFormat = "yyyy-mm-dd hh:mm:ss"
	dayStyle     = &StyleChange{NumberFormat: &dayFormat}
	momentStyle  = &StyleChange{NumberFormat: &momentFormat}
)

func dateStyle(serial float64) *StyleChange {
	if serial == float64(int64(serial)) {
		return dayStyle
	}
	return momentStyle
}

// apply gives the number of the style that is base with a change.
func (p *stylePatch) apply(base uint32, change *StyleChange) (uint32, error) {
	if style, ok := p.made[patchKey{base, change}]; ok {
		return style, nil
	}
	if err := p.load(); err != nil {
		return 0, err
	}
	if len(p.xfs) >= 65_000 {
		return 0, tooComplex("the workbook would have more than 65000 cell styles")
	}
	from := int(base)
	if from >= len(p.xfs) {
		from = 0
	}
	xf := p.xfs[from]
	end := tagEnd([]byte(xf))
	tag, rest := xf[:end], xf[end:]
	x := xmlScanner{attrs: []byte(tag[len("<"+p.prefix+"xf"):])}
	use := func(list *[]string, attr, applied, made string) {
		i := -1
		for k, have := range *list {
			if have == made {
				i = k
				break
			}
		}
		if i < 0 {
			i = len(*list)
			*list = append(*list, made)
		}
		tag = setAttr(setAttr(tag, attr, strconv.Itoa(i)), applied, "1")
	}
	pick := func(list []string, attr string) string {
		if i := x.number(attr, 0); i >= 0 && i < len(list) {
			return list[i]
		}
		return ""
	}
	c := change
	if c.Bold != nil || c.Italic != nil || c.Underline != nil || c.Strike != nil || c.Font != nil || c.FontSize != nil || c.Color != nil {
		use(&p.fonts, "fontId", "applyFont", p.font(pick(p.fonts, "fontId"), c))
	}
	if c.Fill != nil {
		if *c.Fill == "" {
			tag = setAttr(tag, "fillId", "0")
		} else {
			use(&p.fills, "fillId", "applyFill", p.tags(`<fill><patternFill patternType="solid"><fgColor rgb="FF`+*c.Fill+`"/><bgColor indexed="64"/></patternFill></fill>`))
		}
	}
	if len(c.Border) > 0 {
		use(&p.border, "borderId", "applyBorder", p.borders(pick(p.border, "borderId"), c.Border))
	}
	date := p.isDate(base)
	if c.NumberFormat != nil {
		tag = setAttr(setAttr(tag, "numFmtId", strconv.Itoa(p.formatID(*c.NumberFormat))), "applyNumberFormat", "1")
		date = numfmt.Parse(*c.NumberFormat).IsDate()
	}
	if c.Horizontal != nil || c.Vertical != nil || c.Wrap != nil {
		alignment, others := p.alignment(rest, c)
		tag = setAttr(tag, "applyAlignment", "1")
		open := strings.TrimSuffix(strings.TrimSuffix(tag, ">"), "/") + ">"
		xf = open + alignment + others + "</" + p.prefix + "xf>"
	} else {
		xf = tag + rest
	}
	style := uint32(len(p.xfs))
	for i, have := range p.xfs {
		if have == xf {
			style = uint32(i)
			break
		}
	}
	if int(style) == len(p.xfs) {
		p.xfs = append(p.xfs, xf)
	}
	p.made[patchKey{base, change}] = style
	p.dates[style] = date
	return style, nil
}

// tags gives XML that is written without prefixes with the part's own.
func (p *stylePatch) tags(xml string) string {
	if p.prefix == "" {
		return xml
	}
	return strings.NewReplacer("</", "</"+p.prefix, "<", "<"+p.prefix).Replace(xml)
}

// formatID gives the number of a number format.
func (p *stylePatch) formatID(code string) int {
	for id := 0; id < 50; id++ {
		if _, other := p.old.codes[id]; !other && numfmt.Builtin(id) == code && (id < 23 || id > 36) {
			return id
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.old.codes)) {
		if p.old.codes[id] == code {
			return id
		}
	}
	if id, ok := p.codes[code]; ok {
		return id
	}
	p.codes[code] = p.nextID
	p.nextID++
	return p.codes[code]
}

// fontOrder is the order in which Excel wants what a font is made of.
var fontOrder = []string{"b", "i", "strike", "condense", "extend", "outline", "shadow", "u", "vertAlign", "sz", "color", "name", "family", "charset", "scheme"}

var borderOrder = []string{"start", "end", "left", "right", "top", "bottom", "diagonal", "vertical", "horizontal"}
