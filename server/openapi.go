package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// The document. What it says of bodies and answers is derived from the Go types that the
// routes read and write.

func (s *server) showDocument(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", jsonMedia)
	send(w, http.StatusOK, s.document)
	return nil
}

// schemas are the types that have a name of their own in the document; the others stand
// where they are used. A type comes after those that it is made of.
var schemas = []struct {
	name string
	of   reflect.Type
}{
	{"FileChange", reflect.TypeFor[limits.FileChange]()},
	{"FileConflict", reflect.TypeFor[limits.FileConflict]()},
	{"Receipt", reflect.TypeFor[limits.Receipt]()},
	{"LogLine", reflect.TypeFor[host.LogLine]()},
	{"Error", reflect.TypeFor[problem.Error]()},
	{"Answer", reflect.TypeFor[runAnswer]()},
	{"RunStarted", reflect.TypeFor[runStarted]()},
	{"Run", reflect.TypeFor[workspace.Record]()},
	{"RunRequest", reflect.TypeFor[runRequest]()},
	{"Undone", reflect.TypeFor[workspace.UndoResult]()},
	{"File", reflect.TypeFor[host.File]()},
	{"Version", reflect.TypeFor[host.Version]()},
	{"Uploaded", reflect.TypeFor[uploadedFile]()},
	{"Token", reflect.TypeFor[workspace.Token]()},
	{"Link", reflect.TypeFor[access.Link]()},
	{"Problem", reflect.TypeFor[problemDetails]()},
}

// document collects the named schemas while it is written.
type document struct {
	named map[reflect.Type]*jsonschema.Schema // references
	parts map[string]*jsonschema.Schema
}

// object is a JSON object of the document.
type object = map[string]any

// openAPI writes the document of a list of routes. It panics where a type has no schema:
// that is a mistake of the program, found by the first test.
func openAPI(list []route) []byte {
	d := &document{named: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Description: "Any JSON value."}, // an empty schema is true, which generators leave out
		reflect.TypeFor[problem.Code]():    codes(),
		reflect.TypeFor[access.Scope]():    {Type: "string"},
	}, parts: map[string]*jsonschema.Schema{}}
	for _, s := range schemas {
		d.parts[s.name] = d.schema(s.of)
		d.named[s.of] = &jsonschema.Schema{Ref: "#/components/schemas/" + s.name}
	}
	paths := map[string]object{}
	for _, rt := range list {
		path := strings.TrimSuffix(rt.path, "{$}")
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path][strings.ToLower(rt.method)] = d.operation(rt)
	}
	text, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{"title": "sandboxd", "version": "1", "license": object{"name": "See the repository", "url": "https://github.com/sandboxd/sandboxd"},
			"description": "Runs JavaScript and TypeScript that agents write, on the files, the database and the state of a workspace. Errors are problem details (RFC 9457)."},
		"servers":  []object{{"url": "/"}},
		"security": []object{{"token": []string{}}},
		"tags":     tags(list),
		"paths":    paths,
		"components": object{
			"schemas":         d.parts,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "A token of the server: Authorization: Bearer TOKEN."}},
			"responses": object{"Problem": object{"description": "The request failed; the code says how.",
				"content": object{problemMedia: object{"schema": d.named[reflect.TypeFor[problemDetails]()]}}}},
		},
	})
	if err != nil {
		panic("server: " + err.Error())
	}
	return text
}

func tags(list []route) []object {
	docs := map[string]string{"server": "The server itself.", "runs": "Scripts, and the record of what they did.", "tools": "Operations, one by one.",
		"files": "Files and their versions.", "uploads": "Resumable uploads.", "state": "State, and the workspace.", "events": "What happens.",
		"tokens": "Who may.", "links": "Addresses that need no token.", "audit": "Who did what.", "upkeep": "The data folder."}
	var found []object
	seen := map[string]bool{}
	for _, rt := range list {
		if !seen[rt.tag] {
			seen[rt.tag] = true
			found = append(found, object{"name": rt.tag, "description": docs[rt.tag]})
		}
	}
	return found
}

func codes() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: "A code of the error table."}
	for _, entry := range problem.Table() {
		s.Enum = append(s.Enum, entry.Code)
	}
	return s
}

func (d *document) operation(rt route) object {
	op := object{"operationId": rt.id, "tags": []string{rt.tag}, "summary": rt.summary}
	details := rt.details
	if rt.open {
		op["security"] = []object{}
	} else if len(rt.scopes) > 0 {
		words := make([]string, len(rt.scopes))
		for i, scope := range rt.scopes {
			words[i] = string(scope)
		}
		details = strings.TrimSpace(details + "\n\nNeeds a token with the scope " + strings.Join(words, " or ") + ".")
	}
	if details != "" {
		op["description"] = details
	}
	var parameters []object
	for part := range strings.SplitSeq(rt.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok && name != "$}" {
			parameters = append(parameters, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	query := rt.query
	if !rt.open {
		query = append(slices.Clone(query), workspaceParameter)
	}
	for _, p := range query {
		parameters = append(parameters, p.object("query"))
	}
	for _, p := range rt.headers {
		parameters = append(parameters, p.object("header"))
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	if rt.body != nil {
		op["requestBody"] = object{"required": true, "content": d.media(*rt.body)}
	}
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, a := range rt.answers {
		response := object{"description": a.doc}
		if a.media != "" {
			response["content"] = d.media(a)
		}
		if len(a.header) > 0 {
			headers := object{}
			for _, name := range slices.Sorted(maps.Keys(a.header)) {
				headers[name] = object{"description": a.header[name], "schema": object{"type": "string"}}
			}
			response["headers"] = headers
		}
		responses[strconv.Itoa(a.status)] = response
	}
	op["responses"] = responses
	return op
}

func (p parameter) object(in string) object {
	schema := object{"type": p.kind}
	if p.kind == counted {
		schema["minimum"] = 1
	}
	o := object{"name": p.name, "in": in, "description": p.doc, "schema": schema}
	if p.required {
		o["required"] = true
	}
	return o
}

func (d *document) media(c content) object {
	switch of := c.of.(type) {
	case nil:
		if c.media == eventMedia || strings.HasPrefix(c.media, "text/") {
			return object{c.media: object{"schema": object{"type": "string"}}}
		}
		return object{c.media: object{"schema": object{"type": "string", "format": "binary"}}}
	case *jsonschema.Schema:
		return object{c.media: object{"schema": of}}
	case json.RawMessage: // a tool's arguments
		return object{c.media: object{"schema": object{"type": "object"}}}
	}
	t := reflect.TypeOf(c.of)
	if named := d.named[t]; named != nil {
		return object{c.media: object{"schema": named}}
	}
	return object{c.media: object{"schema": d.schema(t)}}
}

// schema derives a type's schema. Lists are lists, never null, and answers may get more
// members than this version has.
func (d *document) schema(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: d.named})
	if err != nil {
		panic(fmt.Sprintf("server: the schema of %s: %v", t, err))
	}
	mend(s, strings.HasSuffix(t.Name(), "Request"))
	return s
}

func mend(s *jsonschema.Schema, request bool) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		s.Types, s.Type = nil, "" // a pointer's null: those that are pointers are left out when nil
		return
	}
	if at := slices.Index(s.Types, "null"); at >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-at], nil
	}
	if s.Properties != nil && !request {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		mend(p, request)
	}
	mend(s.Items, request)
	if s.Properties == nil {
		mend(s.AdditionalProperties, request)
	}
}
