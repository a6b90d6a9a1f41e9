package workspace

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// maxStages bounds the temporary files that a run has open, so that no run can take all
// descriptors.
const maxStages = 100

// stage is a temporary file that a worker writes, or content that the daemon received.
type stage struct {
	file *os.File // has no name
	blob *blob    // of Receive
}

func (st *stage) close() {
	if st.file != nil {
		_ = st.file.Close()
	}
	st.blob.release()
}

// Stage implements host.Host.
func (r *Run) Stage(ctx context.Context) (*host.Staged, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.checkStages(); err != nil {
		return nil, err
	}
	name := r.store.tmpName()
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, problem.From(fmt.Errorf("stage: %w", err))
	}
	_ = os.Remove(name) // if it stays, the next start sweeps it
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		file.Close()
		return nil, problem.From(fmt.Errorf("stage: %w", err))
	}
	r.staged++
	r.stages[r.staged] = &stage{file: file}
	return &host.Staged{ID: r.staged, Data: os.NewFile(uintptr(fd), "stage")}, nil
}

func (r *Run) checkStages() error {
	if len(r.stages) >= maxStages {
		return problem.New(problem.CallLimit, "the run has %d temporary files open at once", maxStages).
			WithHint("Wait for writes to finish before starting more of them.")
	}
	var total int64
	for _, st := range r.stages {
		if st.file == nil {
			total += st.blob.size
		} else if info, err := st.file.Stat(); err == nil {
			total += info.Size()
		}
	}
	if total > r.limits.WorkspaceSize {
		return problem.New(problem.WorkspaceFull, "the run's temporary files have %s, more than a workspace may have", bytesText(total))
	}
	return nil
}

// Receive stages what src gives, read to its end, and answers the stage's id for Create or
// Put. It is for the daemon, which has the bytes at hand; file_too_large if they are too many.
func (r *Run) Receive(ctx context.Context, src io.Reader) (int64, error) {
	b, err := r.takeIn(ctx, src)
	if err != nil {
		return 0, err
	}
	b.refs++
	unlock, err := r.lock(ctx)
	if err != nil {
		r.letGo(b)
		return 0, err
	}
	defer unlock()
	if err := r.checkStages(); err != nil {
		b.release()
		return 0, err
	}
	r.staged++
	r.stages[r.staged] = &stage{blob: b}
	return r.staged, nil
}

// takeIn copies bytes to where the worker cannot change them any more.
func (r *Run) takeIn(ctx context.Context, src io.Reader) (*blob, error) {
	return r.collect(func(w *blobWriter) error {
		return pump(w, &ctxReader{ctx, src})
	})
}

// maxInMemory bounds the small contents that a run has in the daemon's memory; what comes
// after them goes to files.
const maxInMemory = 8 << 20

// collect makes a blob of what fill writes.
func (r *Run) collect(fill func(w *blobWriter) error) (*blob, error) {
	w := newBlobWriter(r.store.tmpName(), r.limits.FileBytes)
	if r.memory.Load() > maxInMemory {
		w.inline = 0
	}
	if err := fill(w); err != nil {
		w.abandon()
		return nil, problem.From(err)
	}
	b, err := w.finish()
	if err != nil {
		return nil, problem.From(err)
	}
	b.memory = &r.memory
	b.memory.Add(int64(len(b.data)))
	return b, nil
}

// letGo forgets one use of a blob, also after the run's end.
func (r *Run) letGo(b *blob) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.release()
}

// ctxReader ends a long copy with its context.
type ctxReader struct {
	ctx context.Context
	src io.Reader
}

func (r *ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}

// copiesAtOnce is how many contents a run has taken in of which nobody knows yet whether
// there is room for them: with the stages that they are copies of, that is how far a run
// can go beyond its share of the disk by asking for much at once.
const copiesAtOnce = 4

// content gives a stage's bytes as a blob with one use counted, which done lets go of; the
// run's lock is not held. The worker may still hold the stage's descriptor, so the bytes
// are copied, and what is hashed here is what is committed. Stage 0 is empty content.
func (r *Run) content(ctx context.Context, id int64) (b *blob, done func(), err error) {
	select {
	case r.copies <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, problem.From(ctx.Err())
	}
	if b, err = r.copied(ctx, id); err != nil {
		<-r.copies
		return nil, nil, err
	}
	return b, func() {
		r.letGo(b)
		<-r.copies
	}, nil
}

func (r *Run) copied(ctx context.Context, id int64) (*blob, error) {
	if id == 0 {
		b, err := newBlobWriter("", 0).finish()
		if err == nil {
			b.refs++
		}
		return b, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	st := r.stages[id]
	if st == nil {
		unlock()
		return nil, problem.New(problem.InvalidArgument, "stage: there is no staged file %d", id).With("argument", "stage")
	}
	if st.blob != nil {
		st.blob.refs++
		unlock()
		return st.blob, nil
	}
	file := st.file
	info, err := file.Stat()
	unlock()
	if err != nil {
		return nil, problem.From(fmt.Errorf("stage: %w", err))
	}
	if info.Size() > r.limits.FileBytes {
		return nil, tooLarge(r.limits.FileBytes)
	}
	b, err := r.takeIn(ctx, io.NewSectionReader(file, 0, r.limits.FileBytes+1))
	if err != nil {
		return nil, err
	}
	b.refs++
	return b, nil
}

// consume forgets a stage whose content is now a file's. The run's lock is held.
func (r *Run) consume(id int64) {
	if st := r.stages[id]; st != nil {
		st.close()
		delete(r.stages, id)
	}
}
