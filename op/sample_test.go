package op_test

import (
	"context"
	"encoding/json"

	"github.com/sandboxd/sandboxd/op"
)

// The sample table has one of everything that an operation may be made of.

type readIn struct {
	ID      string      `json:"id" doc:"The file's id or name."`
	Options readOptions `json:"options" op:"options"`
}

type readOptions struct {
	StartLine int    `json:"start_line,omitempty" min:"1" doc:"First line to read, counted from 1."`
	EndLine   *int   `json:"end_line" min:"1" doc:"Last line to read, inclusive."`
	Encoding  string `json:"encoding,omitempty" enum:"utf-8,utf-16,latin-1" doc:"How to read the bytes."`
}

type readOut struct {
	Content    string `json:"content" doc:"The text."`
	TotalLines int64  `json:"total_lines" doc:"Lines in the whole file."`
}

type listIn struct {
	Pattern string `json:"pattern,omitempty" doc:"A glob pattern."`
}

type listOut struct {
	Files []listed `json:"files" op:"result"`
}

type listed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	MimeType string `json:"mime_type" js:"mime_type"`
}

type createIn struct {
	Name    string        `json:"name" doc:"The new file's name."`
	Mime    *string       `json:"mime_type" js:"mime" doc:"Its MIME type; detected if left out."`
	Options createOptions `op:"options"`
}

type createOptions struct {
	Content string   `json:"content,omitempty" doc:"Initial text."`
	Tags    []string `json:"tags,omitempty" enum:"draft,final" doc:"Labels."`
}

type ok struct {
	OK bool `json:"ok"`
}

type idIn struct {
	ID string `json:"id" doc:"The file's id or name."`
}

type bytesIn struct {
	ID     string  `json:"id"`
	Offset int64   `json:"offset" min:"0" doc:"Where to write, counted from 0."`
	Data   []byte  `json:"data" doc:"The bytes."`
	Ratio  float64 `json:"ratio,omitempty" min:"0" max:"1"`
	Small  int8    `json:"small,omitempty"`
}

type bytesOut struct {
	Data []byte `json:"data" op:"result"`
}

type rangeIn struct {
	ID    string  `json:"file_id" doc:"The workbook."`
	Cell  string  `json:"start_cell"`
	Data  [][]any `json:"data" doc:"Rows of values."`
	Style *style  `json:"style"`
}

type style struct {
	Bold      bool               `json:"bold,omitempty"`
	FontColor string             `json:"font_color" doc:"As #rrggbb."`
	Widths    map[string]float64 `json:"widths,omitempty"`
}

type anyIn struct {
	Key   string          `json:"key"`
	Value any             `json:"value" doc:"Any JSON value."`
	Raw   json.RawMessage `json:"raw,omitempty"`
}

type anyOut struct {
	Value any                `json:"value"`
	Raw   json.RawMessage    `json:"raw"`
	Rows  [][]any            `json:"rows,omitzero"`
	Names []string           `json:"names"`
	Items []listed           `json:"items"`
	By    map[string]float64 `json:"by"`
	Maybe *listed            `json:"maybe"`
	Left  *int               `json:"left,omitempty"`
	embedded
}

type embedded struct {
	RowCount int64 `json:"row_count" js:"row_count"`
}

type mergeIn struct {
	IDs    []string         `json:"ids" doc:"The documents, in order."`
	Ranges [][]int          `json:"ranges,omitempty" min:"1"`
	Fields map[string]any   `json:"fields,omitempty"`
	Deep   []map[string]int `json:"deep,omitempty"`
	Flag   bool             `json:"flag,omitempty"`
}

type nothing struct{}

func do[In, Out any](ctx context.Context, env *op.Env, in In) (Out, error) {
	var out Out
	return out, nil
}

func example(code string) []op.Example { return []op.Example{{Title: "In short", Code: code}} }

func sample() op.Table {
	return op.Table{
		op.Define("files.list", "file_list", do[listIn, listOut], op.Doc{
			Summary: "List files, optionally those whose name matches a glob pattern.",
			Details: "Ordered by name. `**` crosses folders.", Cost: op.CostLookup, ReadOnly: true, Idempotent: true,
			Examples: example(`const csvs = await files.list("**/*.csv")`)}),
		op.Define("files.create", "file_create", do[createIn, idIn], op.Doc{
			Summary: "Create a new file.", Cost: op.CostWrite,
			Examples: example(`await files.create("notes.md", "text/markdown", { content: "# Notes" })`)}),
		op.Define("files.delete", "file_delete", do[idIn, ok], op.Doc{
			Summary: "Remove a file from the workspace.", Cost: op.CostWrite, Destructive: true, Idempotent: true,
			Examples: example(`await files.delete("old.csv")`)}),
		op.Define("files.readText", "file_read_text", do[readIn, readOut], op.Doc{
			Summary: "Read a text file or a range of its lines.", Cost: op.CostRead, ReadOnly: true, Idempotent: true,
			Examples: []op.Example{
				{Title: "Everything", Code: `const { content } = await files.readText("notes.md")`},
				{Title: "The first ten lines", Code: "const { content, totalLines } =\n  await files.readText(\"notes.md\", { endLine: 10 })"},
			}}),
		op.Define("files.readBytes", "file_read_bytes", do[idIn, bytesOut], op.Doc{
			Summary: "Read bytes of any file.", Cost: op.CostRead, ReadOnly: true,
			Examples: example(`const data = await files.readBytes("logo.png")`)}),
		op.Define("files.writeBytes", "file_write_bytes", do[bytesIn, ok], op.Doc{
			Summary: "Write bytes at an offset.", Cost: op.CostWrite,
			Examples: example(`await files.writeBytes("a.bin", 0, "AAE=")`)}),
		op.Define("files.spreadsheet.writeRange", "spreadsheet_write_range", do[rangeIn, ok], op.Doc{
			Summary: "Write rows of values from a cell on.", Cost: op.CostParse,
			Examples: example(`await files.spreadsheet.writeRange("b.xlsx", "A1", [[1, 2], ["x", null]])`)}),
		op.Define("files.pdf.merge", "pdf_merge", do[mergeIn, idIn], op.Doc{
			Summary: "Merge several PDF documents into one.", Cost: op.CostParse,
			Examples: example(`await files.pdf.merge(["a.pdf", "b.pdf"])`)}),
		op.Define("state.set", "state_set", do[anyIn, anyOut], op.Doc{
			Summary: "Keep a value for later runs.", Cost: op.CostWrite, Idempotent: true,
			Examples: example(`await state.set("cursor", { page: 3 })`)}),
		op.Define("db.schema", "db_schema", do[nothing, nothing], op.Doc{
			Summary: "List the tables of the database.", Cost: op.CostLookup, ReadOnly: true,
			Examples: example(`await db.schema()`)}),
	}
}

// recorder makes an operation that gives back the In it was called with.
func recorder[In any](name, tool string, into *In) op.Operation {
	return op.Define(name, tool, func(_ context.Context, _ *op.Env, in In) (nothing, error) {
		*into = in
		return nothing{}, nil
	}, op.Doc{Summary: "Records.", Cost: op.CostLookup, Examples: example("1")})
}
