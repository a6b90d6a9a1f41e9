package mcp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// A model moves a file by addresses, without carrying its bytes: one to send it to, one to
// get it from. They are its token's: what that may not, they cannot.
func TestLinks(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	session := l.connect("alice", "", nil)
	type link struct{ URL, Method string }
	use := func(to link, body string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), to.Method, to.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %d %s %v", to.Method, to.URL, res.StatusCode, got, err)
		}
		return string(got)
	}
	up := structured[link](t, l.call(session, "file_upload_url", `{"name": "big.csv"}`))
	sent := strings.Repeat("row\n", 1_000_000)
	use(up, sent)
	f, err := l.host.Files("alice").Stat(t.Context(), "big.csv")
	if err != nil || f.Size != int64(len(sent)) {
		t.Errorf("%+v, %v", f, err)
	}
	down := structured[link](t, l.call(session, "file_download_url", `{"id": "big.csv", "version": 1}`))
	if got := use(down, ""); got != sent {
		t.Errorf("%d bytes came back", len(got))
	}
	for tool, arguments := range map[string]string{
		"file_download_url": `{"id": "none.csv"}`,
		"file_upload_url":   `{"name": ""}`,
	} {
		if r := l.call(session, tool, arguments); !r.IsError {
			t.Errorf("%s %s: %s", tool, arguments, text(r))
		}
	}
	for _, wrong := range []string{`{"name": "../../etc/passwd\u0000"}`, `{"name": 7}`, `{}`} {
		if r := l.call(session, "file_upload_url", wrong); !r.IsError {
			t.Errorf("%s: %s", wrong, text(r))
		}
	}
	if r := l.call(session, "file_download_url", `{"id": "big.csv", "version": -1}`); !r.IsError {
		t.Errorf("%s", text(r))
	}
	reader := l.connect("reader", "", nil)
	if got := use(structured[link](t, l.call(reader, "file_download_url", `{"id": "big.csv"}`)), ""); got != sent {
		t.Errorf("a reader got %d bytes", len(got))
	}
	if _, err := reader.CallTool(t.Context(), &sdk.CallToolParams{Name: "file_upload_url", Arguments: map[string]any{"name": "x"}}); err == nil {
		t.Error("a reader got an address to upload to")
	}
}

// A picture is answered as one, for a model to see, and its base64 nowhere else. It comes
// without structured content: Claude Code and Codex show a model nothing beside that. The
// tool must have no output schema then, since clients demand structured content of one that has.
func TestPictures(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	if _, err := l.host.Files("alice").Put(t.Context(), sandboxd.Upload{Name: "a.png", Body: &picture}); err != nil {
		t.Fatal(err)
	}
	session := l.connect("alice", "", nil)
	tools, _ := listed(t, session)
	for name, r := range map[string]*sdk.CallToolResult{
		"image_to_base64": l.call(session, "image_to_base64", `{"file_id": "a.png", "max_width": 20}`),
		"run_script":      l.call(session, "run_script", `{"script": "return {seen: await files.image.toBase64('a.png', {maxWidth: 20})}"}`),
	} {
		var seen []string
		for _, content := range r.Content {
			if picture, ok := content.(*sdk.ImageContent); ok {
				decoded, err := png.Decode(bytes.NewReader(picture.Data))
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, fmt.Sprint(picture.MIMEType, decoded.Bounds().Size()))
				if strings.Contains(text(r), "iVBOR") {
					t.Errorf("%s carries the picture as text, too: %s", name, text(r))
				}
			}
		}
		if fmt.Sprint(seen) != "[image/png(20,15)]" {
			t.Errorf("%s: %v %s", name, seen, text(r))
		}
		if r.StructuredContent != nil || tools[name].OutputSchema != nil {
			t.Errorf("%s hides its picture behind structured content %v by %v", name, r.StructuredContent, tools[name].OutputSchema)
		}
	}
	if tools["pdf_render_page"].OutputSchema != nil || tools["image_info"].OutputSchema == nil {
		t.Error("the wrong tools have an output schema")
	}
	if r := l.call(session, "run_script", `{"script": "return 1"}`); r.StructuredContent == nil {
		t.Error("an answer without a picture has no structured content")
	}
}

// The record of who did what says that it was over MCP, and whose token it was.
func TestAudit(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	for i, version := range []string{withSessions, withoutSessions} {
		session := l.connectAt(version, "alice", "", nil)
		l.call(session, "file_create", fmt.Sprintf(`{"name": "%d.txt"}`, i))
		records, err := l.host.Audit(t.Context(), audit.Query{Workspace: "alice", Action: "tool"})
		if err != nil || len(records) != i+1 {
			t.Fatalf("%v, %v", records, err)
		}
		if r := records[0]; r.Who.Via != "mcp" || r.Who.Name != "alice" || r.Who.Address != "127.0.0.1" || r.Name != "file_create" || !strings.HasPrefix(r.SessionID, "mcp") {
			t.Errorf("%s: %+v", version, r)
		}
	}
}
