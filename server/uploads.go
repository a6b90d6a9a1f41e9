package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
)

// openUploads is how many uploads a workspace may have under way.
const openUploads = 500

// uploads keeps the parts of resumable uploads: ID.part, and ID.json which says what it is
// to be. Both go with their time.
type uploads struct {
	host *sandboxd.Host

	mu    sync.Mutex
	inUse map[string]*use
}

// takePause is how long a request waits for another that works on the same upload. One that is
// stopped still writes to the disk what it has, and one that has all of it stores the file.
const takePause = 30 * time.Second

// use is a request that works on an upload.
type use struct {
	body io.ReadCloser
	done chan struct{}
}

// newUploads forgets the uploads that nobody continued.
func newUploads(host *sandboxd.Host) *uploads {
	l := &uploads{host: host, inUse: map[string]*use{}}
	if host != nil {
		_, _, _ = l.sweep("") // there may be none yet
	}
	return l
}

// upload is one that is under way.
type upload struct {
	ID        string    `json:"id"`
	Run       string    `json:"run"` // that stores it
	Workspace string    `json:"workspace"`
	Name      string    `json:"name"`
	Metadata  string    `json:"metadata"` // as the client gave it
	Length    int64     `json:"length"`
	Replace   bool      `json:"replace"`
	Session   string    `json:"session_id"`
	Expires   time.Time `json:"expires"`
	FileID    string    `json:"file_id"` // once it is stored

	path string // without its ending
}

func (u *upload) part() string { return u.path + ".part" }

// offset is how much of it is there.
func (u *upload) offset() (int64, error) {
	if u.FileID != "" {
		return u.Length, nil
	}
	info, err := os.Stat(u.part())
	if err != nil {
		return 0, fmt.Errorf("look at the upload: %w", err)
	}
	return info.Size(), nil
}

func (u *upload) save() error {
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if err := os.WriteFile(u.path+".new", text, 0o600); err != nil {
		return fmt.Errorf("save the upload: %w", err)
	}
	return os.Rename(u.path+".new", u.path+".json")
}

// stored remembers the file for clients that did not hear of it, and lets go of the part.
func (u *upload) stored() error {
	if err := u.save(); err != nil {
		return err
	}
	return os.Remove(u.part())
}

// renew gives the run that stores it another id.
func (u *upload) renew() error {
	u.Run = uuid.NewString()
	return u.save()
}

func (u *upload) remove() error {
	err := os.Remove(u.path + ".json")
	if perr := os.Remove(u.part()); !errors.Is(perr, fs.ErrNotExist) {
		err = errors.Join(err, perr)
	}
	return err
}

func (l *uploads) dir() string { return filepath.Join(l.host.Dir(), "uploads") }

// begin makes room for an upload.
func (l *uploads) begin(u upload, most int64) (*upload, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(l.dir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of uploads: %w", err)
	}
	number, bytes, err := l.sweep(u.Workspace)
	if err != nil {
		return nil, err
	}
	if number >= openUploads || bytes+u.Length > most {
		return nil, problem.New(problem.WorkspaceFull, "there are %d uploads under way, of %d bytes together", number, bytes).
			WithHint("Finish some, or give them up with DELETE.")
	}
	u.ID = uuid.NewString()
	u.Run, u.path, u.Expires = u.ID, filepath.Join(l.dir(), u.ID), time.Now().Add(uploadTime).Truncate(time.Second)
	part, err := os.OpenFile(u.part(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the upload: %w", err)
	}
	return &u, errors.Join(part.Close(), u.save())
}

// sweep removes what has expired, and counts what a workspace has under way.
func (l *uploads) sweep(workspace string) (number int, bytes int64, err error) {
	entries, err := os.ReadDir(l.dir())
	if err != nil {
		return 0, 0, fmt.Errorf("list uploads: %w", err)
	}
	for _, e := range entries {
		id, isRecord := strings.CutSuffix(e.Name(), ".json")
		if !isRecord {
			l.forget(e)
			continue
		}
		u, err := l.read(id)
		switch {
		case err != nil:
			l.forget(e)
		case time.Now().After(u.Expires) && l.inUse[id] == nil:
			_ = u.remove()
		case u.Workspace == workspace && u.FileID == "":
			number++
			bytes += u.Length
		}
	}
	return number, bytes, nil
}

// forget removes what a crash may have left, when it is so old that nobody continues it: a
// part without a record, half a record, or one that cannot be read. An upload is written
// before its time is over, so a part that is older has no upload.
func (l *uploads) forget(e fs.DirEntry) {
	if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > uploadTime {
		_ = os.Remove(filepath.Join(l.dir(), e.Name()))
	}
}

func (l *uploads) read(id string) (*upload, error) {
	u := &upload{path: filepath.Join(l.dir(), id)}
	text, err := os.ReadFile(u.path + ".json")
	if err == nil {
		err = json.Unmarshal(text, u)
	}
	return u, err
}

// take gives an upload of a workspace to one request alone. One that is still sending it is
// stopped: its client comes back because it lost the connection, which the server may learn
// of much later. One that is storing it is waited for.
func (l *uploads) take(r *http.Request, workspace, id string) (*upload, func(), error) {
	missing := problem.New(problem.NotFound, "there is no upload %.100q", id).WithHint("Begin a new one; they are kept for a day.")
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return nil, nil, missing
	}
	// Before anybody is stopped for it: ids are no secrets.
	if u, err := l.read(id); err != nil || u.Workspace != workspace {
		return nil, nil, missing
	}
	mine := &use{done: make(chan struct{}), body: r.Body}
	for patience := time.After(takePause); ; {
		done := l.enter(id, mine)
		if done == nil {
			break
		}
		select {
		case <-done:
		case <-patience:
			return nil, nil, problem.New(problem.Locked, "another request works on the upload")
		case <-r.Context().Done():
			return nil, nil, r.Context().Err()
		}
	}
	release := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.inUse, id)
		close(mine.done)
	}
	u, err := l.read(id) // as whoever had it left it
	if err != nil || u.Workspace != workspace || time.Now().After(u.Expires) {
		release()
		return nil, nil, missing
	}
	return u, release, nil
}

// enter makes mine the use of an upload, or stops the one that there is and gives what is
// closed at its end. Who is in use cannot be gone before it is stopped: the connection may
// have another request by then.
func (l *uploads) enter(id string, mine *use) (done <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	other := l.inUse[id]
	if other == nil {
		l.inUse[id] = mine
		return nil
	}
	if body, ok := other.body.(*hurried); ok {
		body.stop()
	}
	return other.done
}
