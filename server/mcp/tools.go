package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/op"
)

// tool is one tool as clients get it.
type tool struct {
	tool   *sdk.Tool
	handle sdk.ToolHandler
	scopes []access.Scope // one of them is needed; none for everybody
	always bool           // also in the toolset of few tokens
}

// toolList gives every tool: those that are always shown first, then the operations in the
// order of the table.
func (s *Server) toolList() []tool {
	list := []tool{s.runScript(), s.searchAPI(), s.undoRun()}
	if s.Links != nil {
		list = append(list, s.uploadURL(), s.downloadURL())
	}
	for i := range s.table {
		list = append(list, s.operation(&s.table[i]))
	}
	return list
}

// operation is an operation as a tool.
func (s *Server) operation(o *op.Operation) tool {
	d := o.Definition()
	destructive, open := o.Doc.Destructive && !o.Doc.ReadOnly, o.Doc.Cost == op.CostNetwork
	pictures := carriesMedia(d.OutputSchema)
	var answers any // of type any: a schema that is nil is none
	if !pictures {
		answers = orError(portable(d.OutputSchema))
	}
	return tool{
		scopes: []access.Scope{access.Run},
		tool: &sdk.Tool{
			Name:         d.Name,
			Title:        titleOf(d.Name),
			Description:  d.Description,
			InputSchema:  portable(d.InputSchema),
			OutputSchema: answers,
			Annotations: &sdk.ToolAnnotations{
				ReadOnlyHint:    o.Doc.ReadOnly,
				DestructiveHint: &destructive,
				IdempotentHint:  o.Doc.Idempotent || o.Doc.ReadOnly,
				OpenWorldHint:   &open,
			},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			who := clientOf(ctx)
			told := s.report(ctx, req)
			answer := s.Host.Call(ctx, sandboxd.Call{Tool: req.Params.Name, Args: req.Params.Arguments, Workspace: who.workspace, Session: who.session})
			told.end()
			return s.operationResult(ctx, answer, pictures), nil
		},
	}
}

// titleOf makes "File read text" of file_read_text.
func titleOf(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	for _, short := range []string{"url", "api", "pdf", "sql"} {
		words = strings.TrimSpace(strings.ReplaceAll(" "+words+" ", " "+short+" ", " "+strings.ToUpper(short)+" "))
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
