//go:build !linux

package worker

import (
	"errors"
	"os/exec"
	"runtime"
)

var errLinuxOnly = errors.New("only Linux has it, this is " + runtime.GOOS)

// spawner starts children; what Linux does to them is not available here.
type spawner struct{ layers []Layer }

type pathRule struct{}

func pathRules(string, reach) []pathRule { return nil }

func newSpawner([]pathRule) *spawner {
	return &spawner{layers: []Layer{layer("landlock", errLinuxOnly, "")}}
}

func (s *spawner) start(command func() *exec.Cmd) (*exec.Cmd, error) {
	cmd := command()
	return cmd, cmd.Start()
}

func (s *spawner) namespaces() Layer { return layer("namespaces", errLinuxOnly, "") }

func (s *spawner) stop() {}
