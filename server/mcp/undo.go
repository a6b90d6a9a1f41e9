package mcp

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// undoAnswer is what undo_run answers.
type undoAnswer struct {
	RunID    string              `json:"run_id"`
	Undone   string              `json:"undone"`
	Files    []limits.FileChange `json:"files"`
	State    []string            `json:"state"`
	DB       string              `json:"db"`
	DBReason string              `json:"db_reason,omitempty"`
}

// undoRun is the tool that takes a run back.
func (s *Server) undoRun() tool {
	destructive, closed := true, false
	return tool{
		scopes: []access.Scope{access.Run},
		tool: &sdk.Tool{
			Name:        "undo_run",
			Title:       "Undo run",
			Description: "Take back everything that one run or tool call changed: files, state and, where it can be, the database. Undoing is a run itself, so undo its run_id to have the changes back. A conflict names the later runs' changes that stand in the way.",
			InputSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"run_id": {Type: "string", Description: "As run_script answers it, or file_versions; by default the latest change of this session"},
					"force":  {Type: "boolean", Description: "Also where later runs changed the same things"},
				},
				PropertyOrder:        []string{"run_id", "force"},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
			OutputSchema: orError(&jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"run_id":    {Type: "string", Description: "Of the undoing"},
					"undone":    {Type: "string", Description: "The run that was undone"},
					"files":     {Type: "array", Items: &jsonschema.Schema{Type: "object"}, Description: "Changed: {id, name, version, action, size}"},
					"state":     {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "Keys that have their old values"},
					"db":        {Type: "string", Enum: []any{workspace.DBUndone, workspace.DBUnchanged, workspace.DBNotUndone}},
					"db_reason": {Type: "string", Description: "Why the database was not undone"},
				},
				PropertyOrder: []string{"run_id", "undone", "files", "state", "db", "db_reason"},
				Required:      []string{"run_id", "undone", "files", "state", "db"},
			}),
			Annotations: &sdk.ToolAnnotations{DestructiveHint: &destructive, OpenWorldHint: &closed},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				RunID string `json:"run_id"`
				Force bool   `json:"force"`
			}
			err := arguments(req, &in, "run_id", "force")
			who := clientOf(ctx)
			if err == nil && in.RunID == "" {
				in.RunID, err = s.latestChange(ctx, who)
			}
			if err != nil {
				return s.failed(ctx, err), nil
			}
			undone, err := s.Host.Runs(who.workspace).Undo(ctx, in.RunID, in.Force)
			if err != nil {
				return s.failed(ctx, err), nil
			}
			answer := undoAnswer{undone.RunID, in.RunID, undone.Files, undone.State, undone.DB, undone.DBReason}
			return &sdk.CallToolResult{
				Meta:              receiptMeta(undone.Receipt),
				Content:           append([]sdk.Content{&sdk.TextContent{Text: marshal(answer)}}, links(undone.Files)...),
				StructuredContent: answer,
			}, nil
		},
	}
}

// latestChange is the run of the client's session that changed something last, was not
// undone since, and is no undoing: asked again, it takes back what was done before.
func (s *Server) latestChange(ctx context.Context, who client) (string, error) {
	if who.session == sessionless {
		return "", wrong("run_id", "expected a run's id, since there is no session whose latest change could be meant")
	}
	runs, err := s.Host.Runs(who.workspace).List(ctx, workspace.RunQuery{Limit: 1000})
	if err != nil {
		return "", err
	}
	for _, run := range runs {
		changed := run.Receipt != nil && (len(run.Receipt.Files) > 0 || len(run.Receipt.State) > 0) || run.DB != workspace.DBUnchanged
		if run.SessionID == who.session && run.Kind != workspace.KindUndo && run.Status == workspace.StatusOK && changed && run.UndoneBy == "" {
			return run.ID, nil
		}
	}
	return "", problem.New(problem.NotFound, "this session has changed nothing that could be undone").
		WithHint("Name the run: file_versions tells which run made each version of a file.")
}
