package runtime

import (
	"strings"

	"github.com/sandboxd/sandboxd/op"
)

// inOrder makes the changes that a script makes through one namespace happen in the order
// of its calls: rows inserted under one Promise.all keep their order, and of two writes
// that nobody awaits the later one wins. What only reads, and downloads, run at once.
//
// It is called on the loop's goroutine, and gives what another one is to run.
func (i *isolate) inOrder(o *op.Operation, work func()) func() {
	if o.Doc.ReadOnly || o.Doc.Cost == op.CostNetwork {
		return work
	}
	namespace, _, _ := strings.Cut(o.Name, ".")
	before, ended := i.changes[namespace], make(chan struct{})
	if i.changes == nil {
		i.changes = map[string]<-chan struct{}{}
	}
	i.changes[namespace] = ended
	return func() {
		defer close(ended)
		if before != nil {
			select {
			case <-before:
			case <-i.ctx.Done():
			}
		}
		work()
	}
}
