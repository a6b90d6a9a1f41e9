package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/limits"
)

// teach is the API in few lines: what a model must know before its first script. The
// calls themselves follow it, from the table.
const teach = `Run JavaScript or TypeScript on the workspace's files, in a sandbox: no network, no npm, no fs. The script is the body of an async function: use await and return at top level. All calls below return promises; a file's name works as its id. Atomic: if it throws, nothing is changed; else all changes are committed, as versions. Return a small JSON summary, not whole files; to see a picture or a page, return what files.image.toBase64 or files.pdf.renderPage answers. You get {run_id, result, logs, files: those changed}. Also: args, console.log, help("words"), parseCSV(text, {header}), toCSV(rows).

`

const taught = `

Example:
const [sheet] = await files.spreadsheet.listSheets("budget.xlsx");
const [head, ...rows] = await files.spreadsheet.readRange("budget.xlsx", sheet.name, "A1:D20");
return { head, sum: rows.reduce((sum, row) => sum + row[3], 0) };`

// scriptArguments are those of run_script.
type scriptArguments struct {
	Script    string          `json:"script"`
	Args      json.RawMessage `json:"args"`
	TimeoutMs int64           `json:"timeout_ms"`
}

// runScript is the tool that runs a script.
func (s *Server) runScript() tool {
	destructive, open := true, true
	return tool{
		always: true,
		scopes: []access.Scope{access.Run},
		tool: &sdk.Tool{
			Name:        "run_script",
			Title:       "Run script",
			Description: teach + s.table.Outline() + taught,
			InputSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"script":     {Type: "string", Description: "Body of an async function"},
					"args":       {Type: "object", Description: "What the script finds in args"},
					"timeout_ms": {Type: "integer", Description: "At most and by default the server's limit"},
				},
				PropertyOrder:        []string{"script", "args", "timeout_ms"},
				Required:             []string{"script"},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
			Annotations: &sdk.ToolAnnotations{DestructiveHint: &destructive, OpenWorldHint: &open},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			run, err := s.scriptOf(clientOf(ctx), req)
			if err != nil {
				return s.failed(ctx, err), nil
			}
			told := s.report(ctx, req)
			run.Log = told.line
			answer := s.Host.Run(ctx, run)
			told.end()
			return s.scriptResult(ctx, answer), nil
		},
	}
}

func (s *Server) scriptOf(who client, req *sdk.CallToolRequest) (sandboxd.Run, error) {
	var in scriptArguments
	if err := arguments(req, &in, "script", "args", "timeout_ms"); err != nil {
		return sandboxd.Run{}, err
	}
	switch {
	case in.Script == "":
		return sandboxd.Run{}, wrong("script", "expected the source text of a script, got nothing")
	case in.TimeoutMs < 0:
		return sandboxd.Run{}, wrong("timeout_ms", "expected milliseconds from 1, got %d", in.TimeoutMs)
	}
	// More than the host's limit is the host's limit, also where a Duration has not the room.
	timeout := time.Duration(min(in.TimeoutMs, s.Host.Limits().WallTime.Milliseconds())) * time.Millisecond
	return sandboxd.Run{Script: in.Script, Args: in.Args, Workspace: who.workspace, Session: who.session,
		Limits: limits.Limits{WallTime: timeout}}, nil
}

// searchAPI is the tool that finds operations and describes them.
func (s *Server) searchAPI() tool {
	closed := false
	return tool{
		always: true,
		tool: &sdk.Tool{
			Name:        "search_api",
			Title:       "Search the API",
			Description: `Find what scripts can call: words search ("merge cells"), a name describes ("files.readText", with types, options and examples), nothing lists everything.`,
			InputSchema: &jsonschema.Schema{
				Type:                 "object",
				Properties:           map[string]*jsonschema.Schema{"query": {Type: "string"}},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
			OutputSchema: &jsonschema.Schema{
				Type:       "object",
				Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}, "error": errorSchema},
			},
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &closed, OpenWorldHint: &closed},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				Query string `json:"query"`
			}
			if err := arguments(req, &in, "query"); err != nil {
				return s.failed(ctx, err), nil
			}
			text := s.table.Help(in.Query)
			return &sdk.CallToolResult{
				Content:           []sdk.Content{&sdk.TextContent{Text: text}},
				StructuredContent: map[string]string{"text": text},
			}, nil
		},
	}
}
