package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

// A client that is told that all bytes are there believes that there is a file.
func TestAWholeUploadWithoutAFileIsNotFinished(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1000, WorkspaceSize: 1500}})
	at := l.begin("late.txt", 600)
	l.wantStatus(l.put("/api/files/first.txt", strings.Repeat("x", 1000)), 201)
	l.wantProblem(l.part(at, 0, strings.Repeat("y", 600)), problem.WorkspaceFull, "")
	for range 2 {
		if a := l.head(at); a.status != http.StatusInsufficientStorage || a.header.Get("Sandboxd-File-Id") != "" {
			t.Errorf("an upload that could not be stored answers %d %v", a.status, a.header)
		}
		l.wantProblem(l.part(at, 600, ""), problem.WorkspaceFull, "")
	}
	if l.names() != "first.txt" {
		t.Errorf("files: %s", l.names())
	}
	// It can still be given up.
	l.wantStatus(l.do("DELETE", at, nil, "Tus-Resumable", "1.0.0"), 204)
}

// The server died between the last byte and the file: whoever asks next gets it stored.
func TestAWholeUploadIsStoredAfterACrash(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	at := l.begin("late.txt", 5)
	part := filepath.Join(l.host.Dir(), "uploads", filepath.Base(at)+".part")
	if err := os.WriteFile(part, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := l.head(at)
	if a.status != 204 || a.header.Get("Upload-Offset") != "5" || a.header.Get("Sandboxd-File-Id") == "" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	if got := l.get("/api/files/late.txt/download"); got.body != "whole" {
		t.Errorf("it is %q", got.body)
	}
}

// sending is a part of an upload of which some bytes are there and the rest does not come.
func (l *lab) sending(at, some string, length int) net.Conn {
	l.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\nContent-Type: %s\r\nUpload-Offset: 0\r\nContent-Length: %d\r\n\r\n%s",
		at, token, partType, length, some)
	part := filepath.Join(l.host.Dir(), "uploads", filepath.Base(at)+".part")
	l.until("the first bytes have arrived", func() bool { // files have no event
		info, err := os.Stat(part)
		return err == nil && info.Size() == int64(len(some))
	})
	return conn
}

// Who knows the id of another's upload cannot stop it.
func TestAttackOnAnUploadUnderWay(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	at := l.begin("big.bin", 10)
	conn := l.sending(at, "0123", 10)
	theirs := l.token("theirs", access.Scopes()...)
	for _, method := range []string{"HEAD", "PATCH", "DELETE"} {
		if a := l.do(method, at, strings.NewReader(""), "Authorization", theirs, "Tus-Resumable", "1.0.0", "Content-Type", partType, "Upload-Offset", "4"); a.status != 404 {
			t.Errorf("%s by another tenant: %d %s", method, a.status, a.body)
		}
	}
	if _, err := io.WriteString(conn, "456789"); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 204 || res.Header.Get("Sandboxd-File-Id") == "" {
		t.Fatalf("the upload was stopped: %v, %+v", err, res)
	}
}

// One that gives up an upload stops who sends it, too, and is not kept waiting.
func TestAnUploadIsGivenUpWhileItComes(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{BodyPause: time.Hour})
	at := l.begin("big.bin", 10)
	l.sending(at, "0123", 10)
	l.wantStatus(l.do("DELETE", at, nil, "Tus-Resumable", "1.0.0"), 204)
}

// What a crash leaves of uploads goes with its time, though no record tells of it.
func TestWhatACrashLeavesOfUploadsIsSwept(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	kept := filepath.Base(l.begin("kept.txt", 5))
	dir := filepath.Join(l.host.Dir(), "uploads")
	old := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{"orphan.part", "half.new", "broken.json", "broken.part"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "young.part"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server.New(server.Config{Host: l.host}) // as at a start
	var names []string
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, e.Name())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{kept + ".json", kept + ".part", "young.part"}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("left: %v, want %v", names, want)
	}
}
