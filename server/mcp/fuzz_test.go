package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

type discard struct{ bytes.Buffer }

func (*discard) Close() error { return nil }

// Whatever comes in, a line is a message or is answered, nothing is both, and the end comes.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n[1]\nx"))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n" + strings.Repeat("[", 300)))
	f.Fuzz(func(t *testing.T, input []byte) {
		var out discard
		conn, err := (&lines{in: io.NopCloser(bytes.NewReader(input)), out: &out, max: 200}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		messages := 0
		for {
			m, err := conn.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			messages++
			if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
				before := out.Len()
				if err := conn.Write(context.Background(), &jsonrpc.Response{ID: call.ID, Result: json.RawMessage("{}")}); err != nil || out.Len() == before {
					t.Fatal(err)
				}
			}
		}
		said := 0
		for line := range bytes.Lines(input) {
			if len(bytes.TrimSpace(line)) > 0 || len(line) > 200 {
				said++
			}
		}
		if rejected := strings.Count(out.String(), `"id":null,"error"`); rejected+messages != said {
			t.Errorf("%d lines were %d messages and %d rejected: %q", said, messages, rejected, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %q", line)
			}
		}
	})
}

// A result stays JSON whatever is taken out of it, and stays as it is if nothing is.
func FuzzTakeMedia(f *testing.F) {
	f.Add(`{"mime_type":"image/png","base64":"aGVsbG8="}`)
	f.Add(`["data:image/png;base64,aGVsbG8=",{"mime_type":"audio/wav","data":"aGVsbG8="}]`)
	f.Fuzz(func(t *testing.T, result string) {
		if !json.Valid([]byte(result)) {
			return
		}
		rest, media := takeMedia(json.RawMessage(result))
		if !json.Valid(rest) || media == nil && string(rest) != result {
			t.Errorf("%s became %s", result, rest)
		}
	})
}

// A file's address comes back as what it was made of, and no address is read as another's.
func FuzzFileURI(f *testing.F) {
	f.Add("notes/a b.md")
	f.Add("../%2e?version=2#x")
	f.Fuzz(func(t *testing.T, ref string) {
		if got, version, ok := parseFileURI(fileURI(ref)); ref != "" && (!ok || got != ref || version != 0) {
			t.Errorf("%q came back as %q, version %d", ref, got, version)
		}
		if got, _, ok := parseFileURI(filePrefix + ref); ok {
			before, _, _ := strings.Cut(ref, "?")
			if want, err := url.PathUnescape(before); err != nil || got != want {
				t.Errorf("%q was read as %q", ref, got)
			}
		}
	})
}
