package worker

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// spawner is one locked thread that starts children. It is landlocked for good, so that
// they are from their first instruction, and it lives as long as they do: Pdeathsig kills
// a child when the thread that started it ends, not when the process does.
type spawner struct {
	work   chan func()
	done   chan struct{}
	layers []Layer // of landlock and no-new-privs, as they went
	once   sync.Once

	mu    sync.Mutex
	space int // index in namespaceSets of the largest set that works here
	why   error
}

// namespaceSets are tried in turn until a child starts. Without NEWUSER they take a
// privilege; where user namespaces are forbidden a privileged daemon still gets the rest.
// No ids are mapped: to map them Go would write to /proc from the landlocked thread.
var namespaceSets = []uintptr{
	unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNS,
	unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWNS,
	0,
}

// newSpawner starts the thread and restricts it to rules.
func newSpawner(rules []pathRule) *spawner {
	s := &spawner{work: make(chan func()), done: make(chan struct{})}
	restricted := make(chan error)
	go func() {
		// Never unlocked: when this goroutine ends, its thread ends with it.
		runtime.LockOSThread()
		defer close(s.done)
		dropBounding()
		restricted <- restrictThread(rules)
		for do := range s.work {
			do()
		}
	}()
	err := <-restricted
	s.layers = []Layer{layer("landlock", err, "no file, folder or TCP port can be opened")}
	return s
}

// dropBounding empties the capability bounding set of the calling thread. The thread keeps
// what it has, which namespaces may take; a child of a daemon that is root has nothing
// after its exec. Without the right to do it there is nothing that a child could get.
func dropBounding() {
	for capability := uintptr(0); capability < 64; capability++ {
		if unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0) != nil {
			return // not permitted, or the last one is past
		}
	}
}

// start starts a command with the most namespaces that work here.
func (s *spawner) start(command func() *exec.Cmd) (cmd *exec.Cmd, err error) {
	s.mu.Lock()
	first := s.space
	s.mu.Unlock()
	for i := first; i < len(namespaceSets); i++ {
		cmd = command()
		cmd.SysProcAttr = &unix.SysProcAttr{
			Setsid:     true,
			Pdeathsig:  unix.SIGKILL,
			Cloneflags: namespaceSets[i],
		}
		started := make(chan error)
		s.work <- func() { started <- cmd.Start() }
		err = <-started
		if err == nil || !namespaceRefused(err) {
			return cmd, err
		}
		s.mu.Lock()
		if s.why == nil {
			s.why = err
		}
		s.space = max(s.space, min(i+1, len(namespaceSets)-1))
		s.mu.Unlock()
	}
	return cmd, err
}

func namespaceRefused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSPC) ||
		errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EUSERS) || errors.Is(err, unix.ENOSYS)
}

// namespaces reports the layer as it stands after a start.
func (s *spawner) namespaces() Layer {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.space {
	case 0:
		return layer("namespaces", nil, "own user, network, process, IPC, host name and mount namespaces")
	case 1:
		return Layer{"namespaces", On, "own network, process, IPC, host name and mount namespaces; no user namespace: " + withoutPath(s.why)}
	}
	return Layer{"namespaces", NotAvailable, withoutPath(s.why)}
}

// stop ends the thread; every child that it started must have ended.
func (s *spawner) stop() {
	s.once.Do(func() { close(s.work) })
	<-s.done
}
