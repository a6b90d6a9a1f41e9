package op

import (
	"context"

	"github.com/sandboxd/sandboxd/host"
)

// settling is the host as operations see it: reads see what held documents have not
// saved yet, and a change by another way makes the held document stale.
type settling struct {
	host.Host
	env *Env
}

var _ host.Host = (*settling)(nil)

// settle saves the document held for ref, which may be a name. It asks the host only when
// something is held at all.
func (s *settling) settle(ctx context.Context, ref string) error {
	if s.env.idle() {
		return nil
	}
	if s.env.HeldOf(ref) == nil {
		file, err := s.Host.Stat(ctx, ref)
		if err != nil {
			return nil // the call itself will say what is wrong
		}
		ref = file.ID
	}
	return s.env.Settle(ctx, ref)
}

func (e *Env) idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.held) == 0
}

func (s *settling) List(ctx context.Context, pattern string) ([]host.File, error) {
	if err := s.env.Settle(ctx, ""); err != nil {
		return nil, err
	}
	return s.Host.List(ctx, pattern)
}

func (s *settling) Stat(ctx context.Context, ref string) (host.File, error) {
	file, err := s.Host.Stat(ctx, ref)
	if err != nil || s.env.HeldOf(file.ID) == nil {
		return file, err
	}
	if err := s.env.Settle(ctx, file.ID); err != nil {
		return host.File{}, err
	}
	return s.Host.Stat(ctx, file.ID)
}

func (s *settling) Open(ctx context.Context, ref string, version int64) (*host.Opened, error) {
	if err := s.settle(ctx, ref); err != nil {
		return nil, err
	}
	return s.Host.Open(ctx, ref, version)
}

func (s *settling) Put(ctx context.Context, ref string, stage int64) (host.File, error) {
	file, err := s.Host.Put(ctx, ref, stage)
	if err == nil {
		s.env.Drop(file.ID)
	}
	return file, err
}

func (s *settling) Delete(ctx context.Context, ref string) (host.File, error) {
	file, err := s.Host.Delete(ctx, ref)
	if err == nil {
		s.env.Drop(file.ID)
	}
	return file, err
}

func (s *settling) Rename(ctx context.Context, ref, name string) (host.File, error) {
	if err := s.settle(ctx, ref); err != nil {
		return host.File{}, err
	}
	return s.Host.Rename(ctx, ref, name)
}

func (s *settling) Copy(ctx context.Context, ref, name string) (host.File, error) {
	if err := s.settle(ctx, ref); err != nil {
		return host.File{}, err
	}
	return s.Host.Copy(ctx, ref, name)
}

func (s *settling) Versions(ctx context.Context, ref string) ([]host.Version, error) {
	if err := s.settle(ctx, ref); err != nil {
		return nil, err
	}
	return s.Host.Versions(ctx, ref)
}

func (s *settling) Restore(ctx context.Context, ref string, version int64) (host.File, error) {
	if err := s.settle(ctx, ref); err != nil {
		return host.File{}, err
	}
	file, err := s.Host.Restore(ctx, ref, version)
	if err == nil {
		s.env.Drop(file.ID)
	}
	return file, err
}
