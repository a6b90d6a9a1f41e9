package runtime

import (
	"container/list"
	"sync"

	"github.com/sandboxd/sandboxd/problem"
)

// Programs remembers compiled scripts, so that one that is run again is not parsed again.
// A compiled program does not change and belongs to no isolate. It is bounded by number
// and by length of source and forgets what was used longest ago. A nil *Programs
// remembers nothing. Safe for concurrent use.
type Programs struct {
	mu    sync.Mutex
	bytes int // of source
	byKey map[programKey]*list.Element
	order list.List // of *keptProgram, most recently used first
}

const (
	maxPrograms     = 128
	maxProgramBytes = 2 << 20 // of source; a compiled program takes about ten times as much
)

// NewPrograms makes an empty cache.
func NewPrograms() *Programs { return &Programs{byKey: map[programKey]*list.Element{}} }

type programKey struct {
	name, source string
	typescript   bool
}

type keptProgram struct {
	key programKey
	*program
}

// get compiles a script, or finds it compiled. Failures are not kept.
func (c *Programs) get(s Script) (*program, *problem.Error) {
	if c == nil {
		return compile(s)
	}
	key := programKey{s.name(), s.Source, s.typescript()}
	c.mu.Lock()
	if el, ok := c.byKey[key]; ok {
		c.order.MoveToFront(el)
		c.mu.Unlock()
		return el.Value.(*keptProgram).program, nil
	}
	c.mu.Unlock()

	prg, failure := compile(s)
	if failure != nil {
		return nil, failure
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; !ok && len(s.Source) <= maxProgramBytes/4 {
		c.byKey[key] = c.order.PushFront(&keptProgram{key, prg})
		c.bytes += len(s.Source)
	}
	for c.order.Len() > maxPrograms || c.bytes > maxProgramBytes {
		el := c.order.Back()
		c.order.Remove(el)
		delete(c.byKey, el.Value.(*keptProgram).key)
		c.bytes -= len(el.Value.(*keptProgram).key.source)
	}
	return prg, nil
}
