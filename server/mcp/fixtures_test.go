package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the conformance suite wants to meet in a server, by the names that its scenarios
// ask for. It stands beside sandboxd's own tools, resources and prompts.

// A red pixel, and a header of sound without sound.
var (
	pixel, _   = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
	silence, _ = base64.StdEncoding.DecodeString("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
)

func addFixtures(s *sdk.Server) {
	addToolFixtures(s)
	addStatelessFixtures(s)
	addClientFixtures(s)
	addInputFixtures(s)
	addResourceFixtures(s)
	addPromptFixtures(s)
}

// fixture adds a tool whose handler has nothing to decode.
func fixture(s *sdk.Server, name, schema string, handle func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error)) {
	if schema == "" {
		schema = `{"type": "object"}`
	}
	s.AddTool(&sdk.Tool{Name: name, Description: "A fixture of the conformance suite", InputSchema: json.RawMessage(schema)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			content, err := handle(ctx, req)
			if err != nil {
				return &sdk.CallToolResult{IsError: true, Content: said(err.Error())}, nil
			}
			return &sdk.CallToolResult{Content: content}, nil
		})
}

func said(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }

func always(content ...sdk.Content) func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
	return func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) { return content, nil }
}

func addToolFixtures(s *sdk.Server) {
	image := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	embedded := func(uri, kind, text string) sdk.Content {
		return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: kind, Text: text}}
	}
	fixture(s, "test_simple_text", "", always(said("This is a simple text response for testing.")...))
	fixture(s, "test_image_content", "", always(image))
	fixture(s, "test_audio_content", "", always(&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"}))
	fixture(s, "test_embedded_resource", "", always(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")))
	fixture(s, "test_multiple_content_types", "", always(&sdk.TextContent{Text: "Multiple content types test:"}, image,
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)))
	fixture(s, "test_error_handling", "", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return nil, errors.New("This tool intentionally returns an error for testing")
	})
	fixture(s, "test_tool_with_logging", "", func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
		for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if i > 0 {
				time.Sleep(50 * time.Millisecond) // as the scenario prescribes
			}
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
		}
		return said("logged"), nil
	})
	fixture(s, "test_tool_with_progress", "", func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
		for _, progress := range []float64{0, 50, 100} {
			if token := req.Params.GetProgressToken(); token != nil {
				if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: 100}); err != nil {
					return nil, err
				}
			}
			time.Sleep(50 * time.Millisecond) // as the scenario prescribes
		}
		return said("done"), nil
	})
	fixture(s, "test_reconnection", "", func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 50 * time.Millisecond})
		}
		time.Sleep(150 * time.Millisecond) // the client comes back meanwhile
		return said("sent after the stream was closed"), nil
	})
	fixture(s, "json_schema_2020_12_tool", `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "phone": {"type": "string"}, "email": {"type": "string"}},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"required": ["phone"]}, "then": {"required": ["name"]}, "else": {"required": ["email"]},
		"additionalProperties": false
	}`, always(said("valid")...))
}

// addStatelessFixtures adds tools that the protocol without sessions is tried with.
func addStatelessFixtures(s *sdk.Server) {
	fixture(s, "test_logging_tool", "", func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
		return said("logged, if it was asked for"), req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "a line"})
	})
	fixture(s, "test_streaming_elicitation", "", func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
		for i := range 3 {
			if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: "stream", Progress: float64(i + 1)}); err != nil {
				return nil, err
			}
		}
		return said("streamed"), nil
	})
	s.AddTool(&sdk.Tool{Name: "test_missing_capability", Description: "A fixture that needs sampling", InputSchema: json.RawMessage(`{"type": "object"}`)},
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if has := req.ClientCapabilities(); has != nil && has.Sampling != nil {
				return &sdk.CallToolResult{Content: said("sampling is there")}, nil
			}
			return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "this needs sampling",
				Data: json.RawMessage(`{"requiredCapabilities": {"sampling": {}}}`)}
		})
}

// addClientFixtures adds tools that ask the client something.
func addClientFixtures(s *sdk.Server) {
	fixture(s, "test_sampling", `{"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}`,
		func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
			var in struct{ Prompt string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			r, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100,
				Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: in.Prompt}}}})
			if err != nil {
				return nil, err
			}
			answer, ok := r.Content.(*sdk.TextContent)
			if !ok {
				return nil, fmt.Errorf("the client answered %T", r.Content)
			}
			return said("LLM response: " + answer.Text), nil
		})
	elicit := func(name, schema, requested, answer string) {
		fixture(s, name, schema, func(ctx context.Context, req *sdk.CallToolRequest) ([]sdk.Content, error) {
			in := struct{ Message string }{"Please answer"}
			if len(req.Params.Arguments) > 0 {
				if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
					return nil, err
				}
			}
			r, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: in.Message, RequestedSchema: json.RawMessage(requested)})
			if err != nil {
				return nil, err
			}
			content, err := json.Marshal(r.Content)
			return said(fmt.Sprintf(answer, r.Action, content)), err
		})
	}
	elicit("test_elicitation", `{"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}`,
		`{"type": "object", "properties": {"username": {"type": "string"}, "email": {"type": "string"}}, "required": ["username", "email"]}`,
		"User response: action=%s, content=%s")
	elicit("test_elicitation_sep1034_defaults", "", `{"type": "object", "properties": {
			"name": {"type": "string", "default": "John Doe"},
			"age": {"type": "integer", "default": 30},
			"score": {"type": "number", "default": 95.5},
			"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
			"verified": {"type": "boolean", "default": true}}}`,
		"Elicitation completed: action=%s, content=%s")
	elicit("test_elicitation_sep1330_enums", "", `{"type": "object", "properties": {
			"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
			"titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
			"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
			"untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
			"titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}}`,
		"Elicitation completed: action=%s, content=%s")
}

func addResourceFixtures(s *sdk.Server) {
	contents := func(kind, text string, blob []byte) sdk.ResourceHandler {
		return func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{MIMEType: kind, Text: text, Blob: blob}}}, nil
		}
	}
	for _, r := range []struct {
		uri, kind, text string
		blob            []byte
	}{
		{"test://static-text", "text/plain", "This is the content of the static text resource.", nil},
		{"test://static-binary", "image/png", "", pixel},
		{"test://watched-resource", "text/plain", "watched", nil},
	} {
		s.AddResource(&sdk.Resource{URI: r.uri, Name: r.uri, Description: "A fixture", MIMEType: r.kind}, contents(r.kind, r.text, r.blob))
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "A fixture", MIMEType: "application/json"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			text, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{MIMEType: "application/json", Text: string(text)}}}, err
		})
}

func addPromptFixtures(s *sdk.Server) {
	add := func(name string, arguments []string, messages func(args map[string]string) []sdk.Content) {
		p := &sdk.Prompt{Name: name, Description: "A fixture"}
		for _, argument := range arguments {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: argument, Description: "An argument", Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			r := &sdk.GetPromptResult{}
			for _, content := range messages(req.Params.Arguments) {
				r.Messages = append(r.Messages, &sdk.PromptMessage{Role: "user", Content: content})
			}
			return r, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []sdk.Content { return said("This is a simple prompt for testing.") })
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(args map[string]string) []sdk.Content {
		return said(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(args map[string]string) []sdk.Content {
		return append([]sdk.Content{&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: args["resourceUri"], MIMEType: "text/plain",
			Text: "Embedded resource content for testing."}}}, said("Please process the embedded resource above.")...)
	})
	add("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return append([]sdk.Content{&sdk.ImageContent{Data: pixel, MIMEType: "image/png"}}, said("Please analyze the image above.")...)
	})
}
