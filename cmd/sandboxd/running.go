package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// folderFlag names a data folder, or the server that has it.
type folderFlag struct {
	Token string `help:"The operator's token, if a server has the data folder and was given one." env:"SANDBOXD_TOKEN" placeholder:"TOKEN"`
	dataFlag
}

// with works on the data folder, or asks the server that has it.
func (f folderFlag) with(a *app, here func(*sandboxd.Host) error, there func(*running) error) error {
	err := f.withHost(a, here)
	if !inUse(err) {
		return err
	}
	dir, derr := f.dir()
	if derr != nil {
		return derr
	}
	server, err := runningIn(a.ctx, dir, f.Token, err)
	if err != nil {
		return err
	}
	return there(server)
}

// announce writes where the server of a data folder is, for commands that find the folder
// in use; forget takes it back.
func announce(dir, address string) (forget func(), err error) {
	path := filepath.Join(dir, "address")
	if err := os.WriteFile(path, []byte(address+"\n"), 0o600); err != nil {
		return nil, err
	}
	return func() { os.Remove(path) }, nil
}

// running is the server that has the data folder.
type running struct {
	ctx            context.Context
	client         *http.Client
	address, token string
	locked         error // what to say if it does not answer
}

// runningIn finds the server of a data folder that is in use; locked says so if there is none.
func runningIn(ctx context.Context, dir, token string, locked error) (*running, error) {
	address, err := os.ReadFile(filepath.Join(dir, "address"))
	if err != nil {
		return nil, locked // by another command
	}
	if token == "" {
		kept, err := os.ReadFile(filepath.Join(dir, "token"))
		if err != nil {
			return nil, problem.New(problem.Unauthorized, "the server of the data folder has a token of its own").
				WithHint("Set SANDBOXD_TOKEN to it.")
		}
		token = string(kept)
	}
	s := &running{ctx: ctx, locked: locked, address: strings.TrimSpace(string(address)), token: strings.TrimSpace(token)}
	transport := &http.Transport{} // without the environment's proxy
	if at, err := url.Parse(s.address); err == nil && (at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback()) {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // its certificate is for another name
	}
	s.client = &http.Client{Transport: transport}
	return s, nil
}

// call sends a request and reads its answer into out.
func (s *running) call(method, path string, in, out any) error {
	answer, err := s.ask(method, path, in)
	if err != nil {
		return err
	}
	return decode(answer, out)
}

// decode reads an answer into out, and closes it.
func decode(answer io.ReadCloser, out any) error {
	defer answer.Close()
	return json.NewDecoder(answer).Decode(out)
}

// ask sends a request and gives its answer's body, which the caller closes.
func (s *running) ask(method, path string, in any) (io.ReadCloser, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	res, err := s.send(method, path, "application/json", body)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// send sends a body and gives the answer, whose body the caller closes. What the server
// refuses is an error.
func (s *running) send(method, path, kind string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(s.ctx, method, s.address+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", kind)
	res, err := s.client.Do(req)
	var unreached *net.OpError
	if errors.As(err, &unreached) && unreached.Op == "dial" {
		return nil, s.locked // the folder is another command's, and the address one of before
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 {
		defer res.Body.Close()
		var said struct {
			Code         problem.Code
			Detail, Hint string
		}
		if err := json.NewDecoder(res.Body).Decode(&said); err != nil {
			return nil, errors.New(s.address + path + " answered " + res.Status)
		}
		return nil, problem.New(said.Code, "%s", said.Detail).WithHint("%s", said.Hint)
	}
	return res, nil
}

// inUse tells whether an error is that of a data folder that another process has.
func inUse(err error) bool { return errors.Is(err, workspace.ErrLocked) }
