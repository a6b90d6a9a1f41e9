package worker

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/sandboxd/sandboxd/host/frame"
)

// probe is the role in which Doctor has a child try what a worker must not be able to do.
type probe struct{ silent }

var _ role = (*probe)(nil)

const methodTry = "try"

// tried is what came of an attempt that the child survived: "" if it succeeded.
type tried struct {
	Error string `json:"error"`
}

func (*probe) Handle(_ context.Context, req frame.Request) (frame.Reply, error) {
	var name string
	if req.Method != methodTry || json.Unmarshal(req.Body, &name) != nil {
		return frame.Reply{}, unknownMethod(req.Method)
	}
	attempt, ok := attempts[name]
	if !ok {
		return frame.Reply{}, unknownMethod(name)
	}
	var answer tried
	if err := attempt(); err != nil {
		answer.Error = err.Error()
	}
	return frame.Reply{Body: answer}, nil
}

// attempts are ways out. Each answers nil if it is open.
var attempts = func() map[string]func() error {
	all := map[string]func() error{
		"open a file": func() error {
			f, err := os.Open("/etc/passwd")
			if err == nil {
				f.Close()
			}
			return err
		},
		"list a folder": func() error {
			_, err := os.ReadDir("/")
			return err
		},
		"create a file": func() error {
			f, err := os.CreateTemp("/tmp", "sandboxd-probe-")
			if err == nil {
				f.Close()
				os.Remove(f.Name())
			}
			return err
		},
		"remove a file": func() error {
			err := os.Remove("/tmp/sandboxd-probe-that-is-not-there")
			if errors.Is(err, os.ErrNotExist) {
				return nil // nothing but its absence was in the way
			}
			return err
		},
		"start a program": func() error {
			p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
			if err == nil {
				_, _ = p.Wait()
			}
			return err
		},
	}
	for name, attempt := range platformAttempts {
		all[name] = attempt
	}
	return all
}()
