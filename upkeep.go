package sandboxd

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/workspace"
)

// Collect removes what is older than the retention allows and the contents that nothing
// needs any more; with dry it only tells what it would remove. Runs go on meanwhile.
func (h *Host) Collect(ctx context.Context, dry bool) (workspace.Collected, error) {
	began := time.Now()
	done, err := h.store.Collect(ctx, h.config.Retention, dry)
	if !dry {
		h.audit(ctx, began, audit.Record{Action: audit.Collect}, err)
		h.logCollected(done, time.Since(began), err)
	}
	return done, err
}

func (h *Host) logCollected(done workspace.Collected, took time.Duration, err error) {
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		h.config.Log.Error("what is too old could not all be removed", "removed", done, "took", took, "error", err)
	case done.Any():
		h.config.Log.Info("removed what is too old", "versions", done.Versions, "files", done.Files, "runs", done.Runs, "events", done.Events,
			"audit", done.Audit, "blobs", done.Blobs, "bytes", done.Bytes, "took", took)
	}
}

// keeper collects from time to time.
type keeper struct {
	cancel context.CancelFunc
	work   sync.WaitGroup
}

const (
	collectEvery = time.Hour
	// collectFirst is how long after the start the first collection may come: a daemon that is
	// restarted often shall collect too, and the start shall not be slow.
	collectFirst = time.Minute
)

func (h *Host) startKeeper() *keeper {
	every := h.config.CollectEvery
	switch {
	case every < 0:
		return nil
	case every == 0:
		every = collectEvery
	}
	ctx, cancel := context.WithCancel(context.Background())
	k := &keeper{cancel: cancel}
	k.work.Go(func() {
		timer := time.NewTimer(min(every, collectFirst))
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			began := time.Now()
			done, err := h.store.Collect(ctx, h.config.Retention, false)
			h.logCollected(done, time.Since(began), err)
			timer.Reset(every)
		}
	})
	return k
}

// stop ends a collection that is under way, after its batch, and waits for that.
func (k *keeper) stop() {
	if k == nil {
		return
	}
	k.cancel()
	k.work.Wait()
}

// Backup writes a copy of the data folder that is consistent in itself; runs go on
// meanwhile. See the package backup for the way back.
func (h *Host) Backup(ctx context.Context, to *backup.Writer) (backup.Manifest, error) {
	began := time.Now()
	manifest, err := backup.Take(ctx, h.store, to)
	h.audit(ctx, began, audit.Record{Action: audit.Backup, BytesOut: manifest.Bytes}, err)
	return manifest, err
}
