package host

import (
	"context"
	"sync/atomic"
)

// Metered is a Host that counts, for the receipt, the bytes of files that went through it.
// It stands in the daemon, so that a worker cannot answer for itself.
type Metered struct {
	Host
	read, written atomic.Int64
}

var _ Host = (*Metered)(nil)

// Meter puts counters before a Host.
func Meter(h Host) *Metered { return &Metered{Host: h} }

// BytesRead is the size of every file opened, once for each time.
func (m *Metered) BytesRead() int64 { return m.read.Load() }

// BytesWritten is the size of every content written: staged bytes that became a file's,
// and downloads. Copies and restored versions write nothing.
func (m *Metered) BytesWritten() int64 { return m.written.Load() }

func (m *Metered) Open(ctx context.Context, ref string, version int64) (*Opened, error) {
	opened, err := m.Host.Open(ctx, ref, version)
	if err == nil {
		m.read.Add(opened.File.Size)
	}
	return opened, err
}

func (m *Metered) Create(ctx context.Context, file NewFile) (File, error) {
	return m.wrote(m.Host.Create(ctx, file))
}

func (m *Metered) Put(ctx context.Context, ref string, stage int64) (File, error) {
	return m.wrote(m.Host.Put(ctx, ref, stage))
}

func (m *Metered) Fetch(ctx context.Context, url, name string) (File, error) {
	return m.wrote(m.Host.Fetch(ctx, url, name))
}

func (m *Metered) wrote(file File, err error) (File, error) {
	if err == nil {
		m.written.Add(file.Size)
	}
	return file, err
}
