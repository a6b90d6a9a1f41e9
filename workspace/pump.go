package workspace

import (
	"io"
	"sync"
)

// Contents are read, hashed and written in pieces. Forms come 4 KB at a time, and each
// would be a write of its own; much larger ones no longer fit the processor's cache.
const (
	pumpBytes = 64 << 10
	// pumpAhead is how many pieces hashing may be behind writing, so that neither waits for
	// the other with each piece.
	pumpAhead = 3
)

type piece [pumpBytes]byte

var pieces = sync.Pool{New: func() any { return new(piece) }}

// pump copies a content into a blob, and hashes it beside that, because hashing takes as
// long as reading and writing together. What fits into one piece needs no company.
func pump(w *blobWriter, src io.Reader) error {
	next := pieces.Get().(*piece)
	n, err := fill(src, next[:])
	if err != nil {
		defer pieces.Put(next)
		if _, werr := w.Write(next[:n]); werr != nil {
			return werr
		}
		return ended(err)
	}
	toHash, hashed := make(chan []byte, pumpAhead), make(chan struct{}, pumpAhead+1)
	var hashing sync.WaitGroup
	hashing.Go(func() {
		for p := range toHash {
			w.sum.Write(p)
			hashed <- struct{}{}
		}
	})
	behind := []*piece{} // what is not known to be hashed, oldest first
	defer func() {
		close(toHash)
		hashing.Wait()
		for _, p := range behind {
			pieces.Put(p)
		}
	}()
	for {
		behind = append(behind, next)
		if err := w.take(next[:n]); err != nil {
			return err
		}
		toHash <- next[:n]
		if err := w.store(next[:n]); err != nil {
			return err
		}
		if err != nil {
			return ended(err)
		}
		if len(behind) > pumpAhead {
			<-hashed
			next, behind = behind[0], behind[1:]
		} else {
			select {
			case <-hashed: // a slow sender's upload needs no more than this one
				next, behind = behind[0], behind[1:]
			default:
				next = pieces.Get().(*piece)
			}
		}
		n, err = fill(src, next[:])
	}
}

// fill reads until the buffer is full, and gives the error that src gave.
func fill(src io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var m int
		m, err = src.Read(buffer[n:])
		n += m
	}
	return n, err
}

// ended is nil for the end of what was read.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
