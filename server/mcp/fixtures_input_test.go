package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tools that answer with questions, which the client answers by calling again: what the
// protocol without sessions has in place of requests to clients. And one whose argument is
// also a header.

func asks(name string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: "Your " + name + "?", RequestedSchema: json.RawMessage(
		fmt.Sprintf(`{"type": "object", "properties": {%q: {"type": "string"}}, "required": [%q]}`, name, name))}
}

func samples() *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 50, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet somebody"}}}}
}

// accepted is what a person answered; nil if it has not.
func accepted(answers sdk.InputResponseMap, question string) map[string]any {
	if r, ok := answers[question].(*sdk.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func addInputFixtures(s *sdk.Server) {
	// asking adds a tool that is done once it has no questions.
	asking := func(name string, next func(p *sdk.CallToolParamsRaw) (questions sdk.InputRequestMap, state string, err error)) {
		s.AddTool(&sdk.Tool{Name: "test_input_required_result_" + name, Description: "A fixture that asks", InputSchema: json.RawMessage(`{"type": "object"}`)},
			func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				questions, state, err := next(req.Params)
				if err != nil || len(questions) > 0 {
					return &sdk.CallToolResult{InputRequests: questions, RequestState: state}, err
				}
				return &sdk.CallToolResult{Content: said("state-ok: all is answered")}, nil
			})
	}
	// once asks until all questions of one round are answered.
	once := func(name string, questions sdk.InputRequestMap, state string) {
		asking(name, func(p *sdk.CallToolParamsRaw) (sdk.InputRequestMap, string, error) {
			if state != "" && p.RequestState != "" && p.RequestState != state {
				return nil, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state is not one that was given"}
			}
			for question, asked := range questions {
				_, person := asked.(*sdk.ElicitParams)
				if p.InputResponses[question] == nil || person && len(accepted(p.InputResponses, question)) == 0 {
					return questions, state, nil
				}
			}
			return nil, "", nil
		})
	}
	once("elicitation", sdk.InputRequestMap{"user_name": asks("name")}, "")
	once("sampling", sdk.InputRequestMap{"capital_question": samples()}, "")
	once("list_roots", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}, "")
	once("request_state", sdk.InputRequestMap{"confirm": asks("ok")}, "asked")
	once("tampered_state", sdk.InputRequestMap{"confirm": asks("ok")}, "asked")
	once("multiple_inputs", sdk.InputRequestMap{"user_name": asks("name"), "greeting": samples(), "client_roots": &sdk.ListRootsParams{}}, "asked")
	asking("multi_round", func(p *sdk.CallToolParamsRaw) (sdk.InputRequestMap, string, error) {
		switch {
		case p.RequestState == "":
			return sdk.InputRequestMap{"step1": asks("name")}, "first", nil
		case p.RequestState == "first":
			return sdk.InputRequestMap{"step2": asks("color")}, "second", nil
		}
		return nil, "", nil
	})
	s.AddTool(&sdk.Tool{Name: "test_input_required_result_capabilities", Description: "A fixture that asks what the client can be asked", InputSchema: json.RawMessage(`{"type": "object"}`)},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			has, questions := req.ClientCapabilities(), sdk.InputRequestMap{}
			if has != nil && has.Elicitation != nil {
				questions["user_name"] = asks("name")
			}
			if has != nil && has.Sampling != nil {
				questions["greeting"] = samples()
			}
			if len(req.Params.InputResponses) > 0 || len(questions) == 0 {
				return &sdk.CallToolResult{Content: said("nothing more to ask")}, nil
			}
			return &sdk.CallToolResult{InputRequests: questions}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "A fixture that asks"},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			if context := accepted(req.Params.InputResponses, "user_context"); context != nil {
				return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprint(context["context"])}}}}, nil
			}
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": asks("context")}}, nil
		})
	fixture(s, "test_x_mcp_header", `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}}`,
		func(_ context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
			return said(strings.TrimSpace(string(req.Params.Arguments))), nil
		})
}
