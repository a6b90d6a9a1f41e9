package server_test

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd/server"
)

// contract is the OpenAPI document as a judge: each answer that any test of this package
// gets must be one that the document has for the request.
type contract struct {
	text  []byte
	paths map[string]map[string]operation
	parts map[string]json.RawMessage

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved
	seen     map[string]bool // "GET /api/files 200"
}

type operation struct {
	OperationID string
	Security    *[]any
	Responses   map[string]struct {
		Ref     string `json:"$ref"`
		Content map[string]struct{ Schema json.RawMessage }
	}
}

var theContract = sync.OnceValues(func() (*contract, error) {
	w := httptest.NewRecorder()
	server.New(server.Config{}).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/openapi.json", nil))
	var doc struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]json.RawMessage }
	}
	err := json.Unmarshal(w.Body.Bytes(), &doc)
	return &contract{text: w.Body.Bytes(), paths: doc.Paths, parts: doc.Components.Schemas, resolved: map[string]*jsonschema.Resolved{}, seen: map[string]bool{}}, err
})

// find gives the operation of a request; the path that names more of it wins.
func (c *contract) find(method, path string) (template string, op operation, ok bool) {
	given := strings.Split(path, "/")
	best := -1
	for candidate, methods := range c.paths {
		parts := strings.Split(candidate, "/")
		if method == "HEAD" {
			if _, own := methods["head"]; !own {
				method = "GET"
			}
		}
		found, has := methods[strings.ToLower(method)]
		if !has || len(parts) != len(given) {
			continue
		}
		exact := 0
		for i := range parts {
			switch {
			case parts[i] == given[i]:
				exact++
			case !strings.HasPrefix(parts[i], "{") || given[i] == "":
				exact = -len(parts)
			}
		}
		if exact > best {
			best, template, op, ok = exact, candidate, found, true
		}
	}
	return template, op, ok
}

// check says what is wrong with an answer.
func (c *contract) check(req *http.Request, a answer) error {
	path, _, _ := strings.Cut(req.URL.EscapedPath(), "?")
	template, op, ok := c.find(req.Method, path)
	if !ok || a.status >= 300 && a.status < 400 && a.status != http.StatusNotModified {
		return nil
	}
	c.mu.Lock()
	c.seen[fmt.Sprint(op.OperationID, " ", a.status)] = true
	c.mu.Unlock()
	response, ok := op.Responses[fmt.Sprint(a.status)]
	if !ok && a.status < 400 {
		return fmt.Errorf("%s %s: the document has no answer %d", req.Method, template, a.status)
	}
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if a.status >= 400 {
		if kind != "application/problem+json" && a.status != http.StatusRequestedRangeNotSatisfiable && a.body != "" {
			return fmt.Errorf("%s %s: error %d is %s", req.Method, template, a.status, kind)
		}
		if kind == "application/problem+json" && a.body != "" {
			return c.valid(json.RawMessage(`{"$ref": "#/components/schemas/Problem"}`), a.body)
		}
		return nil
	}
	if len(response.Content) == 0 || a.body == "" {
		return nil
	}
	content, ok := response.Content[kind]
	if !ok {
		if _, bytes := response.Content["application/octet-stream"]; bytes {
			return nil // a file is of whatever type it is
		}
		return fmt.Errorf("%s %s: the document has no %s for %d", req.Method, template, kind, a.status)
	}
	if kind != "application/json" {
		return nil
	}
	if err := c.valid(content.Schema, a.body); err != nil {
		return fmt.Errorf("%s %s answers %d with %.300s: %w", req.Method, template, a.status, a.body, err)
	}
	return nil
}

func (c *contract) valid(schema json.RawMessage, body string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	resolved := c.resolved[string(schema)]
	if resolved == nil {
		parts, err := json.Marshal(c.parts)
		if err != nil {
			return err
		}
		text := fmt.Sprintf(`{"$defs": %s, "allOf": [%s]}`, parts, schema)
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "#/components/schemas/", "#/$defs/")), &s); err != nil {
			return err
		}
		if resolved, err = s.Resolve(nil); err != nil {
			return err
		}
		c.resolved[string(schema)] = resolved
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

// modules are the npm packages that judge the document; make installs them.
const modules = "../bench/peers/node_modules"

func needNode(t *testing.T, packages ...string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Skipf("the npm package %s is not installed: run make test, or npm ci in bench/peers", name)
		}
	}
}

// The document is OpenAPI 3.1 to a validator that is not ours.
func TestTheDocumentIsValid(t *testing.T) {
	needNode(t, "@apidevtools/swagger-parser")
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(path, c.text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/validate.mjs", path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "valid: 3.1.0") {
		t.Errorf("%v: %s", err, out)
	}
}

// Every operation has a name of its own and says what it answers; all but a few need a token.
func TestTheDocumentIsComplete(t *testing.T) {
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{"health": true, "ready": true, "openapi": true, "downloadByLink": true, "uploadByLink": true, "uploadFormByLink": true}
	names := map[string]bool{}
	for path, methods := range c.paths {
		for method, op := range methods {
			if op.OperationID == "" || names[op.OperationID] {
				t.Errorf("%s %s has the name %q", method, path, op.OperationID)
			}
			names[op.OperationID] = true
			if len(op.Responses) < 2 {
				t.Errorf("%s %s answers %v", method, path, op.Responses)
			}
			if free := op.Security != nil && len(*op.Security) == 0; free != open[op.OperationID] {
				t.Errorf("%s %s needs no token: %v", method, path, free)
			}
		}
	}
	if len(names) < 35 {
		t.Errorf("there are %d operations", len(names))
	}
}
