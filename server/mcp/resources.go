package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// pageSize is how many files a page of the list has.
const pageSize = 200

// addResources offers the files, and runs by their id. The list comes from the store and
// not from the SDK, which would hold every file of the workspace for every client.
func (c *conn) addResources() {
	c.announceList()
	c.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "run", Title: "A run", URITemplate: runTemplate, MIMEType: "application/json",
		Description: "The record of a run: what it was, how it ended, and its receipt.",
	}, c.readRun)
	c.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "resources/list" {
				return next(ctx, method, req)
			}
			asked, _ := req.(*sdk.ListResourcesRequest)
			if asked == nil || asked.Params == nil {
				return c.listFiles(ctx, "")
			}
			return c.listFiles(ctx, asked.Params.Cursor)
		}
	})
}

// announceList offers the files' template. Offering it again is how the SDK is made to say
// that the list changed: it has no call for lists that are not its own.
func (c *conn) announceList() {
	c.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "file", Title: "A file", URITemplate: fileTemplate,
		Description: "A file of the workspace by id or name, with its folders; an old version with ?version=.",
	}, c.readFile)
}

// listFiles is a page of the files. A cursor is the name of the last file before the page,
// so a page is right whatever was made or deleted since.
func (c *conn) listFiles(ctx context.Context, cursor string) (sdk.Result, error) {
	who := clientOf(ctx)
	if err := who.Require(access.FilesRead, access.Run); err != nil {
		return nil, rpcError(err, "")
	}
	after := ""
	if cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not one that this server gave"}
		}
		after = string(raw)
	}
	files, err := c.Host.Files(who.workspace).List(ctx, "")
	if err != nil {
		return nil, rpcError(err, "")
	}
	list := &sdk.ListResourcesResult{Cacheable: sdk.Cacheable{CacheScope: "private"}, Resources: []*sdk.Resource{}}
	for _, f := range files {
		if after != "" && f.Name <= after {
			continue
		}
		if len(list.Resources) == pageSize {
			list.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(list.Resources[pageSize-1].Name))
			break
		}
		list.Resources = append(list.Resources, resourceOf(f))
	}
	return list, nil
}

func resourceOf(f host.File) *sdk.Resource {
	return &sdk.Resource{URI: fileURI(f.ID), Name: f.Name, MIMEType: f.MimeType, Size: f.Size,
		Description: fmt.Sprintf("Version %d", f.Version),
		Annotations: &sdk.Annotations{LastModified: f.ModifiedOn}}
}

// readFile gives a file's content, as text where it is text.
func (c *conn) readFile(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	who := clientOf(ctx)
	if err := who.Require(access.FilesRead, access.Run); err != nil {
		return nil, rpcError(err, req.Params.URI)
	}
	ref, version, ok := parseFileURI(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	opened, err := c.Host.Files(who.workspace).Open(ctx, ref, version)
	if err != nil {
		return nil, rpcError(err, req.Params.URI)
	}
	defer opened.Data.Close()
	data, err := io.ReadAll(io.NewSectionReader(opened.Data, 0, c.Resource+1))
	if err != nil {
		return nil, rpcError(err, req.Params.URI)
	}
	if int64(len(data)) > c.Resource {
		return nil, rpcError(problem.New(problem.FileTooLarge, "%q has more than the %d bytes that a resource may have", opened.File.Name, c.Resource).
			WithHint("Read a part of it with run_script, such as files.readText with startLine and endLine."), req.Params.URI)
	}
	content := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: opened.File.MimeType}
	if isText(opened.File.MimeType) && utf8.Valid(data) {
		content.Text = string(data)
	} else {
		content.Blob = data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{content}}, nil
}

// isText tells whether a type is of text, which it is by name or by what it is built on.
func isText(mimeType string) bool {
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return false
	}
	switch kind {
	case "application/json", "application/javascript", "application/xml", "application/x-ndjson", "application/sql", "application/yaml", "application/toml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// readRun gives the record of a run.
func (c *conn) readRun(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	who := clientOf(ctx)
	if err := who.Require(access.Run); err != nil {
		return nil, rpcError(err, req.Params.URI)
	}
	id, ok := parseRunURI(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	record, err := c.Host.Runs(who.workspace).Get(ctx, id)
	if err != nil {
		return nil, rpcError(err, req.Params.URI)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: marshal(record)}}}, nil
}

// rpcError is a problem as an error of the protocol, where there is no tool to answer it.
func rpcError(err error, uri string) error {
	p := problem.From(err)
	if p.Code == problem.NotFound && uri != "" {
		return sdk.ResourceNotFoundError(uri)
	}
	code := int64(jsonrpc.CodeInvalidParams)
	if entry, ok := problem.Lookup(p.Code); !ok || entry.Status >= 500 {
		code = jsonrpc.CodeInternalError
	}
	data, _ := json.Marshal(p)
	return &jsonrpc.Error{Code: code, Message: p.Message, Data: data}
}
