package op

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// globals are the declarations of what scripts have beside the operations.
//
//go:embed globals.d.ts
var globals string

// TypeScript gives the declarations of every operation and of the sandbox's globals. They
// stand on lib es2022 alone, without the DOM, and pass tsc --strict.
func (t Table) TypeScript() string {
	var b strings.Builder
	b.WriteString(globals)
	spaces := t.spaces()
	for _, space := range spaces {
		if !strings.Contains(space, ".") {
			fmt.Fprintf(&b, "\ndeclare const %s: sandboxd.%s;\n", space, interfaceName(space))
		}
	}
	for i := range t {
		if t[i].space() == "" {
			writeDoc(&b, &t[i], "")
			fmt.Fprintf(&b, "declare function %s;\n", t[i].method(""))
		}
	}
	b.WriteString("\ndeclare namespace sandboxd {")
	for _, space := range spaces {
		t.writeInterface(&b, space, spaces)
	}
	b.WriteString("}\n")
	return b.String()
}

// spaces lists every namespace, in the order of the table, outer ones before inner ones.
func (t Table) spaces() []string {
	var all []string
	for i := range t {
		for _, space := range t[i].spaces() {
			if !slices.Contains(all, space) {
				all = append(all, space)
			}
		}
	}
	return all
}

func (t Table) writeInterface(b *strings.Builder, space string, spaces []string) {
	fmt.Fprintf(b, "\n  interface %s {\n", interfaceName(space))
	first := true
	for i := range t {
		if t[i].space() != space {
			continue
		}
		if !first {
			b.WriteString("\n")
		}
		first = false
		writeDoc(b, &t[i], "    ")
		fmt.Fprintf(b, "    %s;\n", t[i].method("    "))
	}
	for _, inner := range spaces {
		if own, ok := strings.CutPrefix(inner, space+"."); ok && !strings.Contains(own, ".") {
			fmt.Fprintf(b, "\n    readonly %s: %s;\n", own, interfaceName(inner))
		}
	}
	b.WriteString("  }\n")
}

// interfaceName turns files.spreadsheet into FilesSpreadsheet.
func interfaceName(space string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(space, ".") {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}

// method is the declaration of the operation inside its interface.
func (o *Operation) method(indent string) string {
	return o.own() + "(" + typeWriter{taken, true}.parameters(o, indent) + "): Promise<" +
		typeWriter{answered, true}.result(o, indent) + ">"
}

// writeDoc writes the comment that editors show.
func writeDoc(b *strings.Builder, o *Operation, indent string) {
	var lines []string
	add := func(text string) { lines = append(lines, strings.Split(text, "\n")...) }
	add(o.Doc.Summary)
	if o.Doc.Details != "" {
		lines = append(lines, "")
		add(o.Doc.Details)
	}
	lines = append(lines, "")
	for _, f := range o.in.fields {
		if f.doc != "" {
			add("@param " + f.names[sideJS] + " " + f.doc)
		}
	}
	for _, example := range o.Doc.Examples {
		add(strings.TrimSpace("@example " + example.Title))
		add("```js")
		add(strings.TrimRight(example.Code, "\n"))
		add("```")
	}
	b.WriteString(indent + "/**\n")
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+inComment(line), " ") + "\n")
	}
	b.WriteString(indent + " */\n")
}
