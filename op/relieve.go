package op

import "context"

// Relieve saves the documents that are held and forgets them, all but that of the file
// keep, if there are more than max of them. An operation calls it after Hold, so that a
// run that changes thousands of files does not keep all of them open. A document that
// another operation is at work on stays.
func (e *Env) Relieve(ctx context.Context, keep string, max int) error {
	for _, id := range e.surplus(keep, max) {
		if err := e.saveAndDrop(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (e *Env) surplus(keep string, max int) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.held) <= max {
		return nil
	}
	var ids []string
	for id := range e.held {
		if id != keep {
			ids = append(ids, id)
		}
	}
	return ids
}

// saveAndDrop does so in the file's turn: between the two nobody changes the document.
func (e *Env) saveAndDrop(ctx context.Context, id string) error {
	unlock, ok := e.tryLock(id)
	if !ok {
		return nil
	}
	defer unlock()
	doc := e.HeldOf(id)
	if doc == nil {
		return nil
	}
	if err := doc.Save(ctx, e.Direct); err != nil {
		return err
	}
	e.Drop(id)
	return nil
}

// tryLock is Lock for one who does not wait: who holds one turn must not wait for another.
func (e *Env) tryLock(id string) (unlock func(), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	turn := e.locks[id]
	if turn == nil {
		turn = make(chan struct{}, 1)
		e.locks[id] = turn
	}
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, true
	default:
		return nil, false
	}
}
