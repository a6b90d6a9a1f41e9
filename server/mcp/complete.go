package mcp

import (
	"context"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/workspace"
)

// maxValues is how many completions the protocol lets a server give.
const maxValues = 100

// complete offers values for an argument of a prompt or of a resource's template: names of
// files, versions of a file, ids of runs.
func (c *conn) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	who := clientOf(ctx)
	argument, ref := req.Params.Argument, req.Params.Ref
	var values []string
	var err error
	switch {
	case !who.Can(access.FilesRead, access.Run):
	case argument.Name == "file" && (ref.URI == fileTemplate || ref.Type == "ref/prompt"):
		values, err = c.fileNames(ctx, who, argument.Value)
	case argument.Name == "version" && ref.URI == fileTemplate && req.Params.Context != nil:
		values, err = c.versions(ctx, who, req.Params.Context.Arguments["file"], argument.Value)
	case argument.Name == "run" && ref.URI == runTemplate && who.Can(access.Run):
		values, err = c.runIDs(ctx, who, argument.Value)
	}
	if err != nil {
		values = nil // no offer is no failure
	}
	total := len(values)
	values = append([]string{}, values[:min(total, maxValues)]...)
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values, Total: total, HasMore: total > maxValues}}, nil
}

// fileNames are the names that begin with what was typed, then those that contain it; of
// an id that was begun, the id.
func (c *conn) fileNames(ctx context.Context, who client, typed string) ([]string, error) {
	files, err := c.Host.Files(who.workspace).List(ctx, "")
	if err != nil {
		return nil, err
	}
	typed = strings.ToLower(typed)
	var begin, contain []string
	for _, f := range files {
		name := strings.ToLower(f.Name)
		switch {
		case strings.HasPrefix(name, typed):
			begin = append(begin, f.Name)
		case strings.HasPrefix(f.ID, typed):
			begin = append(begin, f.ID)
		case strings.Contains(name, typed):
			contain = append(contain, f.Name)
		}
	}
	return append(begin, contain...), nil
}

func (c *conn) versions(ctx context.Context, who client, file, typed string) ([]string, error) {
	versions, err := c.Host.Files(who.workspace).Versions(ctx, file)
	if err != nil {
		return nil, err
	}
	var values []string
	for _, v := range versions {
		if text := strconv.FormatInt(v.Version, 10); strings.HasPrefix(text, typed) {
			values = append(values, text)
		}
	}
	return values, nil
}

func (c *conn) runIDs(ctx context.Context, who client, typed string) ([]string, error) {
	runs, err := c.Host.Runs(who.workspace).List(ctx, workspace.RunQuery{})
	if err != nil {
		return nil, err
	}
	var values []string
	for _, run := range runs {
		if strings.HasPrefix(run.ID, typed) {
			values = append(values, run.ID)
		}
	}
	return values, nil
}
