package xlsx

import (
	"context"
	"path"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// relationship points from one part to another.
type relationship struct {
	kind   string // the last word of its type, the same in both namespaces of the standard
	target string // as written
}

const maxRelationships = 100_000

// relationships reads those of a part, by id; none if it has none. "" is the package.
func (wb *Workbook) relationships(ctx context.Context, of string) (map[string]relationship, error) {
	rels := map[string]relationship{}
	p := wb.archive.find(relsOf(of))
	if p == nil {
		return rels, nil
	}
	err := wb.scan(ctx, p, func(x *xmlScanner) error {
		for {
			if err := x.next(); err != nil {
				return err
			}
			if x.kind == endOfPart {
				return nil
			}
			if x.kind != startTag || string(x.name) != "Relationship" || x.get("TargetMode") == "External" {
				continue
			}
			if len(rels) == maxRelationships {
				return tooComplex("the workbook has more than %d relationships", maxRelationships)
			}
			kind := x.get("Type")
			rels[x.get("Id")] = relationship{kind: kind[strings.LastIndexByte(kind, '/')+1:], target: x.get("Target")}
		}
	})
	return rels, err
}

// relsOf names the part that holds a part's relationships. "" is the package.
func relsOf(part string) string {
	if part == "" {
		return "_rels/.rels"
	}
	return cleanName(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"))
}

// mainPart finds the workbook part: by the package's relationships, or where Excel puts it.
func (wb *Workbook) mainPart(ctx context.Context) (*part, error) {
	a := wb.archive
	rels, err := wb.relationships(ctx, "")
	if err != nil {
		return nil, err
	}
	var main *part
	for _, rel := range rels {
		if rel.kind == "officeDocument" {
			main = a.find(resolve("", rel.target))
		}
	}
	if main == nil {
		main = a.find("xl/workbook.xml")
	}
	binary := a.find("xl/workbook.bin") != nil
	switch {
	case binary && (main == nil || strings.HasSuffix(strings.ToLower(main.name), ".bin")):
		return nil, unsupported("the file is a binary workbook (.xlsb)")
	case a.find("word/document.xml") != nil || a.find("ppt/presentation.xml") != nil:
		return nil, unsupported("the file is a text document or a presentation, not a workbook")
	case main != nil:
		return main, nil
	case a.find("content.xml") != nil && a.find("META-INF/manifest.xml") != nil:
		return nil, unsupported("the file is an OpenDocument file")
	}
	for name := range a.folded {
		if strings.HasPrefix(name, "xl/") {
			return nil, damaged("the workbook's main part is missing")
		}
	}
	return nil, unsupported("the file is a zip archive, not a workbook")
}

func unsupported(what string) error {
	return problem.New(problem.UnsupportedFormat, "%s", what).
		WithHint("Open it in a spreadsheet program and save it as .xlsx.")
}

// partOf finds a part by its kind of relationship, or where Excel puts it; nil if there is none.
func (wb *Workbook) partOf(rels map[string]relationship, base, kind, usual string) *part {
	for _, rel := range rels {
		if rel.kind == kind {
			if p := wb.archive.find(resolve(base, rel.target)); p != nil {
				return p
			}
		}
	}
	return wb.archive.find(resolve(base, usual))
}
