package pdfium

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// mapped is the memory of an instance: address space for all that it may have, of which
// only what it asks for can be used and only what it touches takes memory. Go's own would
// be cleared from end to end for every document, and given back when it pleases the
// garbage collector.
type mapped struct {
	all  []byte
	used uint64
}

// withMapped is a context in which instances get such memory.
func withMapped(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		all, err := unix.Mmap(-1, 0, int(most), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			panic(fmt.Errorf("no address space: %w", err))
		}
		return &mapped{all: all}
	}))
}

// Reallocate makes more of it usable; nil is that there is none.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	if size > m.used {
		if err := unix.Mprotect(m.all[m.used:size], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return nil
		}
		m.used = size
	}
	return m.all[:size:len(m.all)]
}

// Free gives it back.
func (m *mapped) Free() {
	if m.all != nil {
		_ = unix.Munmap(m.all)
		m.all = nil
	}
}
