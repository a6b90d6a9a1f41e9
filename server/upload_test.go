package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type fileAnswer struct {
	ID, Name string
	Size     int64
	MimeType string `json:"mime_type"`
	Version  int64
}

type uploadAnswer struct {
	fileAnswer
	Files []fileAnswer
}

// A form by hand: its type, and how a part with a file begins.
const (
	handmade = "multipart/form-data; boundary=b"
	half     = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"half.txt\"\r\n\r\n"
)

func TestUpload(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	a := l.upload("/api/files/upload?session_id=s1", part{"notes.md", "# one"})
	l.wantStatus(a, 201)
	one := decode[uploadAnswer](t, a)
	if one.Name != "notes.md" || one.Size != 5 || one.ID == "" || one.Version != 1 || !strings.HasPrefix(one.MimeType, "text/") || len(one.Files) != 1 {
		t.Errorf("answer: %s", a.body)
	}
	if file, err := l.host.Files("").Stat(t.Context(), "notes.md"); err != nil || file.SourceSessionID != "s1" || file.Source != "upload" {
		t.Errorf("stored as %+v, %v", file, err)
	}

	// A taken name gets a number, or with replace a new version.
	if got := decode[uploadAnswer](t, l.upload("/api/files/upload", part{"notes.md", "# two"})); got.Name != "notes (2).md" {
		t.Errorf("named %q", got.Name)
	}
	got := decode[uploadAnswer](t, l.upload("/api/files/upload?replace=true", part{"notes.md", "# three"}))
	if got.ID != one.ID || got.Version != 2 || got.Size != 7 {
		t.Errorf("replaced as %+v", got)
	}
	l.wantProblem(l.upload("/api/files/upload?replace=yes", part{"notes.md", ""}), problem.InvalidArgument, "replace")

	// Several files are one run.
	a = l.upload("/api/files/upload", part{"a.txt", "a"}, part{"", "a plain field"}, part{"empty.bin", ""}, part{"a.txt", "again"})
	l.wantStatus(a, 201)
	many := decode[uploadAnswer](t, a)
	if len(many.Files) != 3 || many.Files[2].Name != "a (2).txt" || many.ID != "" {
		t.Errorf("answer: %s", a.body)
	}
	runs, err := l.host.Runs("").List(t.Context(), latest)
	if err != nil || len(runs[0].Receipt.Files) != 3 || runs[0].Kind != "upload" {
		t.Errorf("recorded as %+v, %v", runs, err)
	}
}

// A file may be called like another one's id.
func TestReplaceGoesByNameAlone(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	victim := decode[uploadAnswer](t, l.upload("/api/files/upload", part{"victim.txt", "mine"}))
	got := decode[uploadAnswer](t, l.upload("/api/files/upload?replace=true", part{victim.ID, "yours"}))
	if got.ID == victim.ID {
		t.Error("an upload replaced the file whose id it had as its name")
	}
	if a := l.get("/api/files/" + victim.ID + "/download"); a.body != "mine" {
		t.Errorf("the file is %q", a.body)
	}
}

func TestUploadNames(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for sent, stored := range map[string]string{
		"../../etc/passwd":      "passwd", // RFC 7578: folders of the sender's disk are dropped
		"/etc/shadow":           "shadow",
		"Übersicht — 2026.csv":  "Übersicht — 2026.csv",
		"U\u0308.txt":           "Ü.txt",
		`say "hi".txt`:          `say "hi".txt`,
		"<script>alert(1).html": "<script>alert(1).html",
		".env":                  ".env",
	} {
		if got := decode[uploadAnswer](t, l.upload("/api/files/upload", part{sent, "x"})); got.Name != stored {
			t.Errorf("%q is stored as %q, want %q", sent, got.Name, stored)
		}
	}
	before := l.names()
	for _, name := range []string{"..", ".", "right\u202eleft.exe", `C:\Users\x.txt`, " x ", strings.Repeat("n", 300), "not\xffutf8", strings.Repeat("long", 1000)} {
		l.wantProblem(l.rawUpload(name), problem.InvalidArgument, "name")
	}
	// Control characters are not even a header, and a line end ends it.
	for _, name := range []string{"a\x00b", "bell\a", "a\r\nContent-Type: text/html", "a\nb"} {
		if a := l.rawUpload(name); a.status == 201 && strings.ContainsAny(decode[uploadAnswer](t, a).Name, "\r\n\a\x00") || a.status >= 500 {
			t.Errorf("%q: %d %s", name, a.status, a.body)
		}
	}
	if l.names() != before {
		t.Errorf("kept: %s", l.names())
	}
}

// A part that says that it is a file is stored or refused with the whole form, and never
// passed over; and what is stored is the file, not some coding of it.
func TestPartsThatCannotBeReadAreRefused(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	send := func(header string) answer {
		body := half + "good\r\n--b\r\n" + header + "\r\n\r\neHh4\r\n--b--\r\n"
		return l.do("POST", "/api/files/upload", strings.NewReader(body), "Content-Type", handmade)
	}
	const file = "Content-Disposition: form-data; name=\"file\"; filename=\"b.txt\"\r\n"
	for header, says := range map[string]string{
		"Content-Disposition: form-data; name=file; filename=two words.txt":                      "filename",
		"Content-Disposition: form-data; name=file; filename*=ISO-8859-1''caf%E9.txt":            "filename",
		"Content-Disposition: form-data; name=file; FileName*=utf-8''%ZZ.txt":                    "filename",
		"Content-Disposition: form-data; name=file; filename=\"a.txt\"; filename=\"b.txt\"":      "filename",
		"Content-Disposition: form-data; name=\"a; b\"; x=\"\\\"\"; filename*=ISO-8859-1''x.txt": "filename",
	} {
		l.wantProblem(send(header), problem.InvalidArgument, says)
	}
	l.wantProblem(send(file+"Content-Transfer-Encoding: base64"), problem.UnsupportedFormat, "Content-Transfer-Encoding")
	l.wantProblem(send(file+"Content-Encoding: gzip"), problem.UnsupportedFormat, "Content-Encoding")
	if l.names() != "" {
		t.Fatalf("files: %s", l.names())
	}
	// What says nothing of a file is a plain field, as is an input in which nobody chose one.
	for _, header := range []string{"Content-Disposition: form-data; name=\"filename\"", "Content-Disposition: form-data; name=\"; filename=x\"",
		"Content-Disposition: form-data; name=\"file\"; filename=\"\"", "X: y"} {
		if a := send(header); a.status != 201 || len(decode[uploadAnswer](t, a).Files) != 1 {
			t.Errorf("%s: %d %s", header, a.status, a.body)
		}
	}
	l.wantStatus(send(file+"Content-Transfer-Encoding: Binary\r\nContent-Encoding: identity"), 201)
}

// rawUpload sends a name as it is, which the multipart package would escape.
func (l *lab) rawUpload(name string) answer {
	l.Helper()
	body := strings.Replace(half, "half.txt", strings.ReplaceAll(name, `\`, `\\`), 1) + "x\r\n--b--\r\n"
	return l.do("POST", "/api/files/upload", strings.NewReader(body), "Content-Type", handmade)
}

func TestWhatIsNoUpload(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	send := func(kind, body string) answer {
		return l.do("POST", "/api/files/upload", strings.NewReader(body), "Content-Type", kind)
	}
	l.wantProblem(send("application/json", "{}"), problem.InvalidArgument, "multipart/form-data")
	l.wantProblem(send("multipart/form-data", "x"), problem.InvalidArgument, "multipart/form-data")
	l.wantProblem(send(handmade, ""), problem.InvalidArgument, "damaged")
	l.wantProblem(send(handmade, "--b--\r\n"), problem.InvalidArgument, "no file")
	l.wantProblem(l.upload("/api/files/upload", part{"", "a field"}), problem.InvalidArgument, "no file")
	for _, cut := range []string{half[:5], half[:30], half[:len(half)-2], half, half + "half of",
		half + "all of it\r\n--b", half + "all of it\r\n--b-", half + "all of it\r\n--b\r\n",
		half + "one\r\n" + strings.Replace(half, "half", "second", 1) + "half of"} {
		l.wantProblem(send(handmade, cut), problem.InvalidArgument, "damaged")
	}
	if l.names() != "" {
		t.Errorf("of forms that were cut off there is %q", l.names())
	}
	l.wantStatus(send(handmade, half+"whole, but for a line end\r\n--b--"), 201)
}

// The file's own limit, the workspace's, the form's, and that nothing of it is kept.
func TestUploadLimits(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1 * limits.MB, WorkspaceSize: 3 * limits.MB}})
	fits := strings.Repeat("x", 1<<20)
	l.wantStatus(l.upload("/api/files/upload", part{"fits.txt", fits}), 201)
	l.wantProblem(l.upload("/api/files/upload", part{"small.txt", "small"}, part{"large.txt", fits + "y"}), problem.FileTooLarge, "")
	l.wantProblem(l.upload("/api/files/upload", part{"", strings.Repeat("f", 70<<10)}), problem.InvalidArgument, "field")
	l.wantProblem(l.upload("/api/files/upload", part{"1.txt", fits[1:] + "1"}, part{"2.txt", fits[1:] + "2"}, part{"3.txt", fits[1:] + "3"}),
		problem.WorkspaceFull, "")
	preamble := strings.NewReader(strings.Repeat("what comes before the first part\r\n", 400_000) + half)
	l.wantProblem(l.do("POST", "/api/files/upload", preamble, "Content-Type", handmade), problem.RequestTooLarge, "form")
	if l.names() != "fits.txt" {
		t.Errorf("kept: %s", l.names())
	}
}

func TestFloodsOfPartsAndHeaders(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	flood := make([]part, 1001)
	for i := range flood {
		flood[i] = part{"", "f"}
	}
	l.wantProblem(l.upload("/api/files/upload", flood...), problem.InvalidArgument, "1000 parts")
	var headers strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&headers, "X-%d: y\r\n", i)
	}
	body := strings.NewReader("--b\r\n" + headers.String() + "\r\n--b--\r\n")
	l.wantProblem(l.do("POST", "/api/files/upload", body, "Content-Type", handmade), problem.InvalidArgument, "damaged")
}

// 40 MB go through, as they come.
func TestALargeUpload(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	const size = 40 << 20
	body := io.MultiReader(strings.NewReader(half), io.LimitReader(zeros{}, size), strings.NewReader("\r\n--b--\r\n"))
	a := l.do("POST", "/api/files/upload", body, "Content-Type", handmade)
	l.wantStatus(a, 201)
	if got := decode[uploadAnswer](t, a); got.Size != size {
		t.Errorf("stored %d bytes", got.Size)
	}
	a = l.get("/api/files/half.txt/download", "Range", "bytes=41943030-")
	l.wantStatus(a, 206)
	if len(a.body) != 10 {
		t.Errorf("the last 10 bytes are %q", a.body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A client that goes away in the middle leaves nothing.
func TestAnAbortedUploadKeepsNothing(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	req, err := http.NewRequestWithContext(ctx, "POST", l.url+"/api/files/upload", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", handmade)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := plain.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	if _, err := io.WriteString(w, half+strings.Repeat("x", 1<<20)); err != nil {
		t.Fatal(err)
	}
	cancel()
	w.CloseWithError(ctx.Err()) // the client waits for whoever reads its body
	<-done
	l.wantLastRun(func(r record) bool { return r.Kind == "upload" && r.Status == "failed" })
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}
