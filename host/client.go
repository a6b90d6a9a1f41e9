package host

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"

	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/problem"
)

// Client is the Host of one run inside a worker. Each method is one call over frames,
// and returns only once the daemon is done with it, also when its context ends sooner.
type Client struct {
	conn    *frame.Conn
	closing chan struct{}

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

var _ Host = (*Client)(nil)

// NewClient makes the Host of one run.
func NewClient(conn *frame.Conn) *Client {
	return &Client{conn: conn, closing: make(chan struct{})}
}

// Close ends the run's authority: calls under way are cancelled and waited for, later
// ones answer canceled.
func (c *Client) Close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	c.mu.Unlock()
	c.calls.Wait()
}

// call makes one call. With wantFile it gives the descriptor that came with the answer.
func (c *Client) call(ctx context.Context, method string, in, out any, wantFile bool) (*os.File, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, problem.New(problem.Canceled, "the run has ended")
	}
	c.calls.Add(1)
	c.mu.Unlock()
	defer c.calls.Done()

	call, err := c.conn.Begin(ctx, method, in)
	if err != nil {
		return nil, gone(err)
	}
	select {
	case <-call.Done():
	case <-ctx.Done():
		call.Cancel()
		err = problem.From(ctx.Err())
	case <-c.closing:
		call.Cancel()
		err = problem.New(problem.Canceled, "the run has ended")
	}
	if err != nil {
		out = nil
	}
	files, failed := call.Result(out)
	switch {
	case err != nil || failed != nil || len(files) != oneIf(wantFile):
		for _, f := range files {
			f.Close()
		}
		switch {
		case err != nil:
			return nil, err
		case failed != nil:
			return nil, gone(failed)
		}
		return nil, problem.New(problem.Internal, "something went wrong inside sandboxd").
			WithCause(errors.New("host: an answer came with the wrong number of descriptors"))
	case wantFile:
		return files[0], nil
	}
	return nil, nil
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// gone makes an error of the connection one that a script may see.
func gone(err error) error {
	if errors.Is(err, frame.ErrClosed) {
		return problem.New(problem.Canceled, "the host has gone away").WithCause(err)
	}
	return problem.From(err)
}

func (c *Client) file(ctx context.Context, method string, in any) (file File, err error) {
	_, err = c.call(ctx, method, in, &file, false)
	return file, err
}

func (c *Client) List(ctx context.Context, pattern string) (files []File, err error) {
	_, err = c.call(ctx, methodList, keyArgs{Key: pattern}, &files, false)
	return files, err
}

func (c *Client) Stat(ctx context.Context, ref string) (File, error) {
	return c.file(ctx, methodStat, refArgs{Ref: ref})
}

func (c *Client) Open(ctx context.Context, ref string, version int64) (*Opened, error) {
	var file File
	data, err := c.call(ctx, methodOpen, refArgs{Ref: ref, Version: version}, &file, true)
	if err != nil {
		return nil, err
	}
	return &Opened{File: file, Data: data}, nil
}

func (c *Client) Stage(ctx context.Context) (*Staged, error) {
	var answer stageAnswer
	data, err := c.call(ctx, methodStage, nil, &answer, true)
	if err != nil {
		return nil, err
	}
	return &Staged{ID: answer.Stage, Data: data}, nil
}

func (c *Client) Create(ctx context.Context, file NewFile) (File, error) {
	return c.file(ctx, methodCreate, file)
}

func (c *Client) Put(ctx context.Context, ref string, stage int64) (File, error) {
	return c.file(ctx, methodPut, putArgs{Ref: ref, Stage: stage})
}

func (c *Client) Delete(ctx context.Context, ref string) (File, error) {
	return c.file(ctx, methodDelete, refArgs{Ref: ref})
}

func (c *Client) Rename(ctx context.Context, ref, name string) (File, error) {
	return c.file(ctx, methodRename, nameArgs{Ref: ref, Name: name})
}

func (c *Client) Copy(ctx context.Context, ref, name string) (File, error) {
	return c.file(ctx, methodCopy, nameArgs{Ref: ref, Name: name})
}

func (c *Client) Versions(ctx context.Context, ref string) (versions []Version, err error) {
	_, err = c.call(ctx, methodVersions, refArgs{Ref: ref}, &versions, false)
	return versions, err
}

func (c *Client) Restore(ctx context.Context, ref string, version int64) (File, error) {
	return c.file(ctx, methodRestore, refArgs{Ref: ref, Version: version})
}

func (c *Client) Fetch(ctx context.Context, url, name string) (File, error) {
	return c.file(ctx, methodFetch, nameArgs{Ref: url, Name: name})
}

func (c *Client) StateGet(ctx context.Context, key string) (value json.RawMessage, err error) {
	_, err = c.call(ctx, methodStateGet, keyArgs{Key: key}, &value, false)
	if len(value) == 0 {
		value = nil
	}
	return value, err
}

func (c *Client) StateSet(ctx context.Context, key string, value json.RawMessage) error {
	_, err := c.call(ctx, methodStateSet, keyArgs{Key: key, Value: value}, nil, false)
	return err
}

func (c *Client) StateDelete(ctx context.Context, key string) (was bool, err error) {
	_, err = c.call(ctx, methodStateDelete, keyArgs{Key: key}, &was, false)
	return was, err
}

func (c *Client) StateKeys(ctx context.Context, prefix string) (keys []string, err error) {
	_, err = c.call(ctx, methodStateKeys, keyArgs{Key: prefix}, &keys, false)
	return keys, err
}

func (c *Client) SQL(ctx context.Context, query Query) (*QueryResult, error) {
	var result QueryResult
	if _, err := c.call(ctx, methodSQL, query, &result, false); err != nil {
		return nil, err
	}
	return &result, nil
}

func (c *Client) Schema(ctx context.Context) (tables []Table, err error) {
	_, err = c.call(ctx, methodSchema, nil, &tables, false)
	return tables, err
}

// Log sends the line and does not wait; a line that cannot be sent is dropped.
func (c *Client) Log(line LogLine) { _ = c.conn.Notify(noticeLog, line) }
