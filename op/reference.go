package op

import (
	"fmt"
	"strings"
)

const referenceIntro = `# Operations

Everything that a script or a tool can do, generated from the operation table.

In JavaScript the functions are globals that answer Promises, and arguments stand in
order with the options last. As a tool, the same operation takes one JSON object in
which the options stand beside the arguments, and answers one JSON object. Wherever a
file's id is taken, its name is too. Wrong arguments answer ` + "`invalid_argument`" + `; what
else can go wrong is in [errors.md](errors.md).

Calls that are awaited together run at once; those that change something through the same
global happen in the order in which they were made.

The cost says what a call does: *lookup* reads metadata only, *read* the part asked for,
*write* makes a new version, *parse* works through a whole document once and has it
cached afterwards, *network* leaves the machine.
`

// Reference gives the operations' reference page in Markdown. It is the same for the same table.
func (t Table) Reference() string {
	var b strings.Builder
	b.WriteString(referenceIntro + "\n")
	for _, space := range t.spacesWithOperations() {
		fmt.Fprintf(&b, "- [%s](#%s)\n", title(space), anchor(title(space)))
	}
	for _, space := range t.spacesWithOperations() {
		fmt.Fprintf(&b, "\n## %s\n\n| function | tool | |\n|---|---|---|\n", title(space))
		for i := range t {
			if o := &t[i]; o.space() == space {
				fmt.Fprintf(&b, "| [%s](#%s) | `%s` | %s |\n", o.Name, anchor(o.Name), o.Tool, cell(o.Doc.Summary))
			}
		}
		for i := range t {
			if t[i].space() == space {
				t[i].writeReference(&b)
			}
		}
	}
	return b.String()
}

func (t Table) spacesWithOperations() []string {
	var spaces []string
	seen := map[string]bool{}
	for i := range t {
		if space := t[i].space(); !seen[space] {
			seen[space] = true
			spaces = append(spaces, space)
		}
	}
	return spaces
}

func title(space string) string {
	if space == "" {
		return "globals"
	}
	return space
}

// anchor is the place of a heading, as GitHub and most renderers name it.
func anchor(heading string) string { return strings.ToLower(strings.ReplaceAll(heading, ".", "")) }

func (o *Operation) writeReference(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n", o.Name, o.Doc.Summary)
	fmt.Fprintf(b, "\n```ts\n%s\n```\n", o.signature())
	if o.Doc.Details != "" {
		fmt.Fprintf(b, "\n%s\n", o.Doc.Details)
	}
	if rows := o.argumentRows(); len(rows) > 0 {
		b.WriteString("\n| argument | in the tool | | |\n|---|---|---|---|\n")
		for _, r := range rows {
			kind := r.kind
			if !r.required {
				kind += ", optional"
			}
			fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", r.js, r.tool, cell(kind), cell(r.doc))
		}
	}
	if rows := documented(o.resultRows()); len(rows) > 0 {
		b.WriteString("\n| result | in the tool | |\n|---|---|---|\n")
		for _, r := range rows {
			fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", r.js, r.tool, cell(r.doc))
		}
	}
	for _, example := range o.Doc.Examples {
		if example.Title != "" {
			fmt.Fprintf(b, "\n%s:\n", example.Title)
		}
		fmt.Fprintf(b, "\n```js\n%s\n```\n", strings.TrimSpace(example.Code))
	}
	fmt.Fprintf(b, "\nTool: `%s`. %s\n", o.Tool, o.traits())
}

// cell keeps a text inside its cell of a Markdown table, and globs from becoming emphasis.
func cell(text string) string {
	if !strings.Contains(text, "`") {
		text = plainText.Replace(text)
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

var plainText = strings.NewReplacer("*", `\*`, "<", "&lt;")
