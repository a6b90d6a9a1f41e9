package pdfium

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
)

// LoadImpatient is Load with a limit on the time of a document.
var LoadImpatient = load

// StartWithout makes an instance where there is no memory for it.
func (l *Library) StartWithout() error {
	_, err := l.start(experimental.WithMemoryAllocator(context.Background(),
		experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory { return nothing{} })))
	return err
}

type nothing struct{}

func (nothing) Reallocate(uint64) []byte { return nil }
func (nothing) Free()                    {}
