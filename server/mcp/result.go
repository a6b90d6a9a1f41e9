package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// receiptKey is where a result's _meta has the run's receipt: for programs, not for the
// model, which would pay for it in tokens.
const receiptKey = "sandboxd/receipt"

// operationResult is what a tool answers that is an operation: its result, as structure
// and as text, pictures as such where it may have some, and links to the files that it changed.
func (s *Server) operationResult(ctx context.Context, answer sandboxd.Answer, pictures bool) *sdk.CallToolResult {
	if answer.Error != nil {
		r := s.failed(ctx, answer.Error)
		r.Meta = receiptMeta(answer.Receipt)
		return r
	}
	result, media := answer.Result, []sdk.Content(nil)
	if pictures {
		result, media = takeMedia(result)
	}
	content := []sdk.Content{&sdk.TextContent{Text: string(result)}}
	content = append(content, media...)
	r := &sdk.CallToolResult{Meta: receiptMeta(answer.Receipt), Content: append(content, links(answer.Receipt.Files)...)}
	if media == nil {
		r.StructuredContent = result
	}
	return r
}

// scriptAnswer is what run_script answers, as text and, where no picture goes with it, as structure.
type scriptAnswer struct {
	RunID  string              `json:"run_id,omitempty"`
	Result json.RawMessage     `json:"result,omitempty"`
	Error  *problem.Error      `json:"error,omitempty"`
	Logs   []string            `json:"logs"`
	Files  []limits.FileChange `json:"files,omitempty"`
}

// scriptResult is what run_script answers.
func (s *Server) scriptResult(ctx context.Context, answer sandboxd.Answer) *sdk.CallToolResult {
	told := scriptAnswer{RunID: answer.Receipt.RunID, Error: answer.Error, Logs: logTexts(answer.Logs), Files: answer.Receipt.Files}
	r := &sdk.CallToolResult{Meta: receiptMeta(answer.Receipt), IsError: answer.Error != nil}
	if answer.Error != nil {
		s.logCause(ctx, answer.Error)
		text := problemText(answer.Error)
		if len(told.Logs) > 0 {
			text += "\n\nLogs:\n" + strings.Join(told.Logs, "\n")
		}
		r.Content, r.StructuredContent = []sdk.Content{&sdk.TextContent{Text: text}}, told
		return r
	}
	var media []sdk.Content
	told.Result, media = takeMedia(answer.Result)
	r.Content = append([]sdk.Content{&sdk.TextContent{Text: marshal(told)}}, media...)
	r.Content = append(r.Content, links(answer.Receipt.Files)...)
	if media == nil {
		r.StructuredContent = told
	}
	return r
}

// failed is a failure that the model shall read.
func (s *Server) failed(ctx context.Context, err error) *sdk.CallToolResult {
	p := problem.From(err)
	s.logCause(ctx, p)
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: problemText(p)}},
		StructuredContent: map[string]any{"error": p},
		IsError:           true,
	}
}

// logCause logs what the client does not get to see.
func (s *Server) logCause(ctx context.Context, p *problem.Error) {
	if p.Code == problem.Internal && p.Cause != nil {
		s.Log.ErrorContext(ctx, "MCP call failed", "code", p.Code, "cause", p.Cause)
	}
}

// problemText is a problem for a reader: what, where, and what to do.
func problemText(p *problem.Error) string {
	text := string(p.Code) + ": " + p.Message
	if p.Line > 0 {
		text += " (line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column) + ")"
	}
	if p.Hint != "" {
		text += "\nHint: " + p.Hint
	}
	if len(p.Details) > 0 { // hints speak of them
		text += "\nDetails: " + marshal(p.Details)
	}
	return text
}

// logTexts are console lines as a model reads them: the level only where it says something.
func logTexts(lines []host.LogLine) []string {
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line.Text
		if line.Level == "warn" || line.Level == "error" {
			texts[i] = line.Level + ": " + line.Text
		}
	}
	return texts
}

// links are links to the files that a run left changed.
func links(files []limits.FileChange) []sdk.Content {
	var list []sdk.Content
	for _, f := range files {
		if f.Version == 0 {
			continue // deleted
		}
		if len(list) == maxLinks {
			break // the receipt has them all
		}
		list = append(list, &sdk.ResourceLink{URI: fileURI(f.ID), Name: f.Name, Description: f.Action + ", version " + strconv.FormatInt(f.Version, 10), Size: &f.Size})
	}
	return list
}

// maxLinks bounds the links of one result.
const maxLinks = 20

func receiptMeta(receipt limits.Receipt) sdk.Meta {
	if receipt.RunID == "" {
		return nil
	}
	return sdk.Meta{receiptKey: receipt}
}

// marshal is JSON without the escaping that is for web pages.
func marshal(value any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil { // plain data; it cannot fail
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
