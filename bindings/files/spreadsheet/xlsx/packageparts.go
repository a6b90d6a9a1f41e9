package xlsx

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// newPart is a part that is added to the package.
type newPart struct {
	name  string
	write func(w *bufio.Writer) error
}

// add adds a part and says what it is; "" leaves that to its extension.
func (rw *rewriter) add(name, contentType string, write func(w *bufio.Writer) error) {
	rw.added = append(rw.added, newPart{name, write})
	if contentType != "" {
		rw.visit(rw.wb.archive.find("[Content_Types].xml"), insertAtEnd(
			`Override PartName="/`+escapeXML(name)+`" ContentType="`+escapeXML(contentType)+`"/>`))
	}
}

// free gives a name for a new part, from that of a part of its kind: xl/charts/chart1.xml.
func (rw *rewriter) free(like string) string {
	ext := ""
	if i := strings.LastIndexByte(like, '.'); i > strings.LastIndexByte(like, '/') {
		like, ext = like[:i], like[i:]
	}
	stem := strings.TrimRight(like, "0123456789")
	for n := max(rw.numbers[stem+ext], 1); ; n++ {
		name := stem + strconv.Itoa(n) + ext
		taken := rw.wb.archive.find(name) != nil
		for _, p := range rw.added {
			taken = taken || strings.EqualFold(p.name, name)
		}
		if !taken {
			rw.numbers[stem+ext] = n + 1
			return name
		}
	}
}

// leaveOut takes a part out of the package, with the relationships to it and its type.
func (rw *rewriter) leaveOut(p *part) error {
	if rw.left[p] {
		return nil
	}
	rw.left[p] = true
	if own := rw.wb.archive.find(relsOf(p.name)); own != nil {
		rw.left[own] = true
	}
	rw.visit(rw.wb.archive.find("[Content_Types].xml"), dropElement("Override", func(x *xmlScanner) bool {
		return strings.EqualFold(cleanName(x.get("PartName")), p.name)
	}))
	from := []*part{rw.wb.main}
	for _, s := range rw.wb.sheets {
		if s.part != nil {
			from = append(from, s.part)
		}
	}
	for _, f := range from {
		rels, err := rw.wb.relationships(rw.ctx, f.name)
		if err != nil {
			return err
		}
		gone := map[string]bool{}
		for id, rel := range rels {
			if rw.wb.archive.find(resolve(f.name, rel.target)) == p {
				gone[id] = true
			}
		}
		if len(gone) == 0 {
			continue
		}
		if rw.leftRels[f] == nil {
			rw.leftRels[f] = map[string]bool{}
		}
		for id := range gone {
			rw.leftRels[f][id] = true
		}
		rw.visit(rw.wb.archive.find(relsOf(f.name)), dropElement("Relationship", func(x *xmlScanner) bool {
			return gone[x.get("Id")]
		}))
	}
	return nil
}

// onlyBelow lists a part and the parts that nothing else of the package leads to.
func (wb *Workbook) onlyBelow(ctx context.Context, top *part) ([]*part, error) {
	reach := func(from string, without *part) (map[*part]bool, error) {
		seen := map[*part]bool{}
		queue := []string{from}
		for len(queue) > 0 {
			name := queue[0]
			queue = queue[1:]
			rels, err := wb.relationships(ctx, name)
			if err != nil {
				return nil, err
			}
			for _, rel := range rels {
				if p := wb.archive.find(resolve(name, rel.target)); p != nil && p != without && !seen[p] {
					seen[p] = true
					queue = append(queue, p.name)
				}
			}
		}
		return seen, nil
	}
	rest, err := reach("", top)
	if err != nil {
		return nil, err
	}
	below, err := reach(top.name, nil)
	if err != nil {
		return nil, err
	}
	list := []*part{top}
	for _, p := range wb.archive.order {
		if below[p] && !rest[p] && p != top {
			list = append(list, p)
		}
	}
	return list, nil
}

// link is a relationship as its part writes it, those that leave the package included.
type link struct {
	id, kind, full, target string
	external               bool
}

// links reads the relationships of a part in their order.
func (wb *Workbook) links(ctx context.Context, of string) (list []link, err error) {
	p := wb.archive.find(relsOf(of))
	if p == nil {
		return nil, nil
	}
	err = wb.scan(ctx, p, func(x *xmlScanner) error {
		for {
			if err := x.next(); err != nil {
				return err
			}
			if x.kind == endOfPart {
				return nil
			}
			if x.kind != startTag || string(x.name) != "Relationship" {
				continue
			}
			if len(list) == maxRelationships {
				return tooComplex("the workbook has more than %d relationships", maxRelationships)
			}
			full := x.get("Type")
			list = append(list, link{x.get("Id"), full[strings.LastIndexByte(full, '/')+1:], full, x.get("Target"), x.get("TargetMode") == "External"})
		}
	})
	return list, err
}

// linkTo adds a relationship to a part's, like another one of its kind, and gives its id.
func (rw *rewriter) linkTo(from *part, like, target string) (id string, err error) {
	links, err := rw.wb.links(rw.ctx, from.name)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	full := "http://schemas.openxmlformats.org/officeDocument/2006/relationships/" + like
	for _, l := range links {
		taken[strings.ToLower(l.id)] = true
		if l.kind == like {
			full = l.full
		}
	}
	for n := len(links) + 1; ; n++ {
		if id = "rId" + strconv.Itoa(n); !taken[strings.ToLower(id)] {
			break
		}
	}
	rels := rw.wb.archive.find(relsOf(from.name))
	if rels == nil {
		return "", damaged("the workbook has no relationships")
	}
	rw.visit(rels, insertAtEnd(fmt.Sprintf(`Relationship Id="%s" Type="%s" Target="%s"/>`, id, escapeXML(full), escapeXML(targetOf(from.name, target)))))
	return id, nil
}

// relsXML is a relationships part.
func relsXML(list []link) string {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, l := range list {
		mode := ""
		if l.external {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&out, `<Relationship Id="%s" Type="%s" Target="%s"%s/>`, escapeXML(l.id), escapeXML(l.full), escapeXML(l.target), mode)
	}
	out.WriteString(`</Relationships>`)
	return out.String()
}

func writeText(text string) func(*bufio.Writer) error {
	return func(w *bufio.Writer) error { _, err := w.WriteString(text); return err }
}
