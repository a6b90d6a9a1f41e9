package xlsx

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// children gives the XML of an element's children by name, in order of names.
func children(xml string) (names []string, byName map[string]string) {
	byName = map[string]string{}
	x := xmlScanner{stream: &stream{buf: []byte(xml), w: len(xml), eof: true}}
	begin := 0
	for {
		before := x.r
		if x.next() != nil || x.kind == endOfPart {
			return names, byName
		}
		switch {
		case x.kind == startTag && x.depth == 2:
			begin = before
			name := string(x.name)
			if x.skip() != nil {
				return names, byName
			}
			if _, ok := byName[name]; !ok {
				names = append(names, name)
			}
			byName[name] = xml[begin:x.r]
		}
	}
}

func (p *stylePatch) font(base string, c *StyleChange) string {
	_, has := children(base)
	flag := func(name string, on *bool) {
		if on != nil {
			delete(has, name)
			if *on {
				has[name] = p.tags("<" + name + "/>")
			}
		}
	}
	flag("b", c.Bold)
	flag("i", c.Italic)
	flag("u", c.Underline)
	flag("strike", c.Strike)
	if c.Font != nil {
		has["name"] = p.tags(`<name val="` + escapeXML(*c.Font) + `"/>`)
		delete(has, "scheme") // it would name the theme's font instead
		delete(has, "family")
	}
	if c.FontSize != nil {
		has["sz"] = p.tags(`<sz val="` + number(*c.FontSize) + `"/>`)
	}
	if c.Color != nil {
		delete(has, "color")
		if *c.Color != "" {
			has["color"] = p.tags(`<color rgb="FF` + *c.Color + `"/>`)
		}
	}
	var out strings.Builder
	for _, name := range fontOrder {
		out.WriteString(has[name])
	}
	return "<" + p.prefix + "font>" + out.String() + "</" + p.prefix + "font>"
}

func (p *stylePatch) borders(base string, sides map[string]BorderLine) string {
	_, has := children(base)
	for side, line := range sides {
		if line.Style == "none" || line.Style == "" {
			has[side] = p.tags("<" + side + "/>")
			continue
		}
		color := `<color auto="1"/>`
		if line.Color != "" {
			color = `<color rgb="FF` + line.Color + `"/>`
		}
		has[side] = p.tags("<" + side + ` style="` + line.Style + `">` + color + "</" + side + ">")
	}
	var out strings.Builder
	for _, name := range borderOrder {
		out.WriteString(has[name])
	}
	return "<" + p.prefix + "border>" + out.String() + "</" + p.prefix + "border>"
}

// alignment gives an xf's new alignment, and its other children.
func (p *stylePatch) alignment(rest string, c *StyleChange) (alignment, others string) {
	names, has := children("<xf>" + rest)
	alignment = "<" + p.prefix + "alignment/>"
	if old, ok := has["alignment"]; ok {
		alignment = old[:tagEnd([]byte(old))]
		alignment = strings.TrimSuffix(strings.TrimSuffix(alignment, ">"), "/") + "/>"
	}
	set := func(attr string, value *string) {
		if value != nil {
			alignment = setAttr(alignment, attr, *value)
		}
	}
	set("horizontal", c.Horizontal)
	set("vertical", c.Vertical)
	if c.Wrap != nil {
		value := ""
		if *c.Wrap {
			value = "1"
		}
		set("wrapText", &value)
	}
	for _, name := range names {
		if name != "alignment" {
			others += has[name]
		}
	}
	return alignment, others
}

// write copies the styles part with what was added.
func (p *stylePatch) write(w *bufio.Writer) error {
	added := map[string]string{
		"fonts":   strings.Join(p.fonts[p.had[1]:], ""),
		"fills":   strings.Join(p.fills[p.had[2]:], ""),
		"borders": strings.Join(p.border[p.had[3]:], ""),
		"cellXfs": strings.Join(p.xfs[p.had[0]:], ""),
		"dxfs":    strings.Join(p.dxfs, ""),
	}
	counts := map[string]int{"fonts": len(p.fonts), "fills": len(p.fills), "borders": len(p.border), "cellXfs": len(p.xfs), "dxfs": p.hadDxfs + len(p.dxfs)}
	for id := p.nextID - len(p.codes); id < p.nextID; id++ {
		for code, have := range p.codes {
			if have == id {
				added["numFmts"] += p.tags(fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, id, escapeXML(code)))
			}
		}
	}
	counts["numFmts"] = len(p.old.codes) + len(p.codes)
	order := []string{"numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs"}
	// missing gives the sections that have to stand before one and do not.
	missing := func(before string) (xml string) {
		for _, name := range order {
			if name == before {
				break
			}
			if added[name] != "" && !p.has[name] {
				xml += "<" + p.prefix + name + fmt.Sprintf(` count="%d">`, counts[name]) + added[name] + "</" + p.prefix + name + ">"
				delete(added, name)
			}
		}
		return xml
	}
	return p.scan(func(x *xmlScanner) error {
		section := ""
		return x.transform(w, func(x *xmlScanner) error {
			switch {
			case x.kind == startTag && x.depth == 2:
				section = string(x.name)
				lead := missing(section)
				tag := x.tagText()
				if added[section] == "" {
					return x.replaceTag(lead + tag)
				}
				tag = setAttr(tag, "count", strconv.Itoa(counts[section]))
				if x.empty {
					tag = strings.TrimSuffix(tag, "/>") + ">" + added[section] + "</" + p.prefix + section + ">"
					delete(added, section)
				}
				return x.replaceTag(lead + tag)
			case x.kind == endTag && x.depth == 1 && added[section] != "" && x.kept < x.r:
				tag := x.tagText()
				text := added[section]
				delete(added, section)
				return x.replaceTag(text + tag)
			case x.kind == endTag && x.depth == 0:
				return x.replaceTag(missing("") + x.tagText())
			}
			return nil
		})
	})
}
