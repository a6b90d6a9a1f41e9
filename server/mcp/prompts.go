package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/host"
)

// addPrompts offers ways to begin, which clients show as commands.
func (c *conn) addPrompts() {
	file := &sdk.PromptArgument{Name: "file", Title: "File", Description: "Name or id of a file in the workspace", Required: true}
	c.sdk.AddPrompt(&sdk.Prompt{
		Name: "analyse_file", Title: "Analyse a file", Description: "Find out what is in a file and what stands out.",
		Arguments: []*sdk.PromptArgument{file, {Name: "question", Title: "Question", Description: "What you want to know"}},
	}, c.about(func(f host.File, args map[string]string) string {
		question := args["question"]
		if question == "" {
			question = "What is in it, and what stands out?"
		}
		return fmt.Sprintf(`Analyse the file %q (%s, %d bytes) of the workspace.

%s

Look before you compute: for a workbook or CSV call files.spreadsheet.listSheets and getSheetSummary first, for text files.readText with a few lines. Then compute in one run_script, and return numbers rather than rows. Say what you looked at, and what you could not see.`,
			f.Name, f.MimeType, f.Size, question)
	}))
	c.sdk.AddPrompt(&sdk.Prompt{
		Name: "clean_table", Title: "Clean a table", Description: "Bring a CSV file or a sheet into a consistent form, as a new file.",
		Arguments: []*sdk.PromptArgument{file, {Name: "rules", Title: "Rules", Description: "What clean means for this table"}},
	}, c.about(func(f host.File, args map[string]string) string {
		rules := args["rules"]
		if rules == "" {
			rules = "Trim spaces, drop empty rows and exact duplicates, give each column one type, write dates as YYYY-MM-DD."
		}
		return fmt.Sprintf(`Clean the table in %q (%s, %d bytes) of the workspace.

%s

Look at it with files.spreadsheet.getSheetSummary first. Do not change the original: files.copy it under a new name and work on the copy, in one run_script. Then read back a few rows to check, and list what you changed with counts, and the rows that you were not sure of.`,
			f.Name, f.MimeType, f.Size, rules)
	}))
}

// about makes a prompt about a file that there is, with a link to it.
func (c *conn) about(text func(host.File, map[string]string) string) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		who := clientOf(ctx)
		if err := who.Require(access.FilesRead, access.Run); err != nil {
			return nil, rpcError(err, "")
		}
		ref := req.Params.Arguments["file"]
		if ref == "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the argument file is missing; it is the name or id of a file"}
		}
		f, err := c.Host.Files(who.workspace).Stat(ctx, ref)
		if err != nil {
			return nil, rpcError(err, "")
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: text(f, req.Params.Arguments)}},
			{Role: "user", Content: &sdk.ResourceLink{URI: fileURI(f.ID), Name: f.Name, MIMEType: f.MimeType, Size: &f.Size}},
		}}, nil
	}
}
