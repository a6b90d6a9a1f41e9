package mcp

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
)

// linkSchema is an access.Link.
func linkSchema() *jsonschema.Schema {
	return orError(&jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"url":        {Type: "string"},
			"method":     {Type: "string", Description: "To use the address with"},
			"expires_on": {Type: "string", Description: "ISO 8601 UTC"},
		},
		PropertyOrder: []string{"url", "method", "expires_on"},
		Required:      []string{"url", "method", "expires_on"},
	})
}

// uploadURL is the tool that gives an address to send a file to.
func (s *Server) uploadURL() tool {
	no := false
	return tool{
		scopes: []access.Scope{access.FilesWrite, access.Run},
		tool: &sdk.Tool{
			Name: "file_upload_url", Title: titleOf("file_upload_url"),
			Description: "Get an address that takes one file's bytes with PUT, without a token, for 15 minutes. For files that you have on disk: send them with curl -T instead of as base64.",
			InputSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"name":    {Type: "string", Description: "The file's name in the workspace"},
					"replace": {Type: "boolean", Description: "Make a new version of a file of that name; else a taken name becomes name (2).ext"},
				},
				PropertyOrder: []string{"name", "replace"}, Required: []string{"name"},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
			OutputSchema: linkSchema(),
			Annotations:  &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				Name    string `json:"name"`
				Replace bool   `json:"replace"`
			}
			if err := arguments(req, &in, "name", "replace"); err != nil {
				return s.failed(ctx, err), nil
			}
			if in.Name == "" {
				return s.failed(ctx, wrong("name", "expected a file's name, got nothing")), nil
			}
			who := clientOf(ctx)
			return s.linkResult(ctx)(s.Links.Upload(ctx, who.Caller, access.UploadGrant{Workspace: who.workspace, Name: in.Name, Replace: in.Replace, Session: who.session}))
		},
	}
}

// downloadURL is the tool that gives an address to get a file from.
func (s *Server) downloadURL() tool {
	no := false
	return tool{
		scopes: []access.Scope{access.FilesRead, access.Run},
		tool: &sdk.Tool{
			Name: "file_download_url", Title: titleOf("file_download_url"),
			Description: "Get an address that answers one file's bytes to GET, without a token, for 15 minutes. Give it to a person, or fetch it with curl.",
			InputSchema: &jsonschema.Schema{
				Type: "object",
				Properties: map[string]*jsonschema.Schema{
					"id":      {Type: "string", Description: "File ID or name"},
					"version": {Type: "integer", Description: "The latest when left out"},
				},
				PropertyOrder: []string{"id", "version"}, Required: []string{"id"},
				AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			},
			OutputSchema: linkSchema(),
			Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		},
		handle: func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct {
				ID      string `json:"id"`
				Version int64  `json:"version"`
			}
			if err := arguments(req, &in, "id", "version"); err != nil {
				return s.failed(ctx, err), nil
			}
			switch {
			case in.ID == "":
				return s.failed(ctx, wrong("id", "expected a file's id or name, got nothing")), nil
			case in.Version < 0:
				return s.failed(ctx, wrong("version", "expected a version from 1, got %d", in.Version)), nil
			}
			who := clientOf(ctx)
			return s.linkResult(ctx)(s.Links.Download(ctx, who.Caller, access.DownloadGrant{Workspace: who.workspace, File: in.ID, Version: in.Version}))
		},
	}
}

// linkResult answers a link, or why there is none.
func (s *Server) linkResult(ctx context.Context) func(access.Link, error) (*sdk.CallToolResult, error) {
	return func(link access.Link, err error) (*sdk.CallToolResult, error) {
		if err != nil {
			return s.failed(ctx, err), nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: marshal(link)}}, StructuredContent: link}, nil
	}
}
