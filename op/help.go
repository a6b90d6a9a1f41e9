package op

import (
	"fmt"
	"strings"
)

// found is how many operations a search in help shows.
const found = 8

// Help answers the sandbox's help function: the list for "", the description of an
// operation named by its JavaScript or tool name, the part of the list for a namespace,
// and otherwise what a search for the words finds. It always says something useful.
func (t Table) Help(query string) string {
	query = strings.TrimSuffix(strings.TrimSpace(query), "()")
	if query == "" {
		return t.List()
	}
	if o, ok := t.Lookup(query); ok {
		return Describe(o)
	}
	if o, ok := t.LookupTool(query); ok {
		return Describe(o)
	}
	if part := t.within(strings.TrimSuffix(query, ".*")); len(part) > 0 {
		return part.lines(true)
	}
	hits := t.meant(query)
	switch {
	case len(hits) == 0:
		return fmt.Sprintf("Nothing fits %s. help() lists everything.\n", quote(cut(query)))
	case len(hits) == 1:
		return Describe(&hits[0])
	}
	return hits.lines(false) + fmt.Sprintf("\nhelp(%s) says more about one.\n", quote(hits[0].Name))
}

// meant gives the operations that a query may be about: those of a similar name if it is
// one name, and otherwise what a search finds.
func (t Table) meant(query string) Table {
	var hits Table
	if !strings.Contains(query, " ") {
		for i, name := range t.Nearest(query, found) {
			o, _ := t.Lookup(name)
			hits = append(hits, *o)
			if i == 0 && distance(fold(query), fold(name)) <= 2 {
				return hits // a slip
			}
		}
	}
	if len(hits) > 0 && strings.Contains(query, ".") {
		return hits
	}
	for _, o := range t.Search(query) {
		if _, twice := hits.Lookup(o.Name); !twice && len(hits) < found {
			hits = append(hits, *o)
		}
	}
	return hits
}

// within gives the operations of a namespace and of those inside it.
func (t Table) within(space string) Table {
	var part Table
	for _, o := range t {
		if strings.HasPrefix(o.Name, space+".") {
			part = append(part, o)
		}
	}
	return part
}

// List is the whole table in short, a line for each operation.
func (t Table) List() string {
	return t.lines(true) + "\nhelp(\"" + t.anyName() + "\") describes one of them, help(\"some words\") searches.\n"
}

func (t Table) anyName() string {
	if len(t) == 0 {
		return "name"
	}
	return t[0].Name
}

// lines is a line for each operation, with an empty one between namespaces if they stand
// in the table's order.
func (t Table) lines(grouped bool) string {
	var b strings.Builder
	for i := range t {
		if grouped && i > 0 && t[i].space() != t[i-1].space() {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s — %s\n", t[i].callForm(), t[i].Doc.Summary)
	}
	return b.String()
}

// Describe says what there is to know about an operation, for a person or a model that
// is about to call it.
func Describe(o *Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", o.signature(), o.Doc.Summary)
	if o.Doc.Details != "" {
		fmt.Fprintf(&b, "\n%s\n", o.Doc.Details)
	}
	if rows := o.argumentRows(); len(rows) > 0 {
		b.WriteString("\nArguments\n")
		for _, row := range rows {
			b.WriteString("  " + row.js + ": " + row.describe() + "\n")
		}
	}
	if rows := documented(o.resultRows()); len(rows) > 0 {
		b.WriteString("\nResult\n")
		for _, row := range rows {
			b.WriteString("  " + row.js + ": " + row.doc + "\n")
		}
	}
	for _, example := range o.Doc.Examples {
		fmt.Fprintf(&b, "\n%s\n  %s\n", strings.TrimSpace("Example: "+example.Title),
			strings.ReplaceAll(strings.TrimSpace(example.Code), "\n", "\n  "))
	}
	fmt.Fprintf(&b, "\nTool: %s. %s\n", o.Tool, o.traits())
	return b.String()
}

// traits say in a sentence what a call costs and changes.
func (o *Operation) traits() string {
	traits := []string{"Cost: " + string(o.Doc.Cost)}
	if o.Doc.ReadOnly {
		traits = append(traits, "changes nothing")
	}
	if o.Doc.Destructive {
		traits = append(traits, "takes something away")
	}
	if o.Doc.Idempotent && !o.Doc.ReadOnly {
		traits = append(traits, "can be repeated without harm")
	}
	return strings.Join(traits, "; ") + "."
}

func documented(rows []row) []row {
	var some []row
	for _, r := range rows {
		if r.doc != "" {
			some = append(some, r)
		}
	}
	return some
}

// Outline is the table in a few lines, one for each namespace with the calls in it: what a
// model needs to begin, in the fewest tokens.
func (t Table) Outline() string {
	var b strings.Builder
	for i := range t {
		if i == 0 || t[i].space() != t[i-1].space() {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(t[i].space() + ".")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(strings.TrimPrefix(t[i].callForm(), t[i].space()+"."))
	}
	return b.String()
}
