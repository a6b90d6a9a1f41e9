package server

import (
	"encoding/json"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/problem"
)

// toolList is the tools in whatever form was asked for.
type toolList struct {
	Tools []any `json:"tools"`
}

// The forms in which clients of models want tools.
type (
	mcpTool struct {
		Name         string             `json:"name"`
		Description  string             `json:"description"`
		InputSchema  *jsonschema.Schema `json:"inputSchema"`
		OutputSchema *jsonschema.Schema `json:"outputSchema"`
		Annotations  mcpAnnotations     `json:"annotations"`
	}
	mcpAnnotations struct {
		ReadOnly    bool `json:"readOnlyHint"`
		Destructive bool `json:"destructiveHint"`
		Idempotent  bool `json:"idempotentHint"`
	}
	openAITool struct {
		Type     string         `json:"type"` // function
		Function openAIFunction `json:"function"`
	}
	openAIFunction struct {
		Name        string             `json:"name"`
		Description string             `json:"description"`
		Parameters  *jsonschema.Schema `json:"parameters"`
	}
	anthropicTool struct {
		Name        string             `json:"name"`
		Description string             `json:"description"`
		InputSchema *jsonschema.Schema `json:"input_schema"`
	}
)

// listTools gives the operations: names, docs and schemas.
func (s *server) listTools(w http.ResponseWriter, r *http.Request) error {
	list := toolList{Tools: []any{}}
	table := bindings.Table()
	for i := range table {
		d, doc := table[i].Definition(), table[i].Doc
		switch format := textOf(r, "format"); format {
		case "":
			list.Tools = append(list.Tools, d)
		case "mcp":
			list.Tools = append(list.Tools, mcpTool{d.Name, d.Description, d.InputSchema, d.OutputSchema, mcpAnnotations{doc.ReadOnly, doc.Destructive, doc.Idempotent}})
		case "openai":
			list.Tools = append(list.Tools, openAITool{"function", openAIFunction{d.Name, d.Description, d.InputSchema}})
		case "anthropic":
			list.Tools = append(list.Tools, anthropicTool{d.Name, d.Description, d.InputSchema})
		default:
			return invalid("format", "expected mcp, openai or anthropic, got %.100q", format)
		}
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

func (s *server) callTool(r *http.Request, args json.RawMessage) (runAnswer, error) {
	answer := s.Host.Call(r.Context(), sandboxd.Call{
		Workspace: askedOf(r).workspace, Tool: r.PathValue("tool"), Args: args, Session: textOf(r, "session_id"),
	})
	if answer.Error != nil && answer.Error.Code == problem.UnknownOperation {
		// The address is what is wrong.
		return runAnswer{}, answer.Error.WithHint("GET /api/tools lists the tools.")
	}
	return outcome(answer)
}
