package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"
)

const (
	// batchJobs bounds a transaction. Measured: 16 commits that share one fsync reach four
	// times the rate of commits one by one.
	batchJobs = 64
	// lazyDelay is how long a record on which nothing depends may wait for company.
	lazyDelay = 20 * time.Millisecond
	// lazyMost bounds what waits; beyond it, whoever adds waits too.
	lazyMost = 2048
)

// writer owns the one write connection. Commits that arrive while another is being made
// durable share the next transaction. Records of runs that changed nothing are written
// lazily, with the next transaction or after lazyDelay.
type writer struct {
	db         *bun.DB
	statements *commitStatements
	log        *slog.Logger
	wake       func() // after a commit with events
	faults     func(string)

	jobs    chan *job
	flushes chan chan error
	stop    chan struct{}
	stopped chan struct{}

	mu     sync.Mutex
	lazy   records
	starts []*pendingStart          // runs that began and are not yet recorded, oldest first
	byRun  map[string]*pendingStart // the same
	kick   chan struct{}            // says that something lazy waits
}

// job is a commit. check looks and may refuse, which harms nobody else; write writes what
// check found, and its failure ends the transaction. Both may be called again in another
// transaction.
type job struct {
	check  func(ctx context.Context, b *batch) error // may be nil
	write  func(ctx context.Context, b *batch) error
	settle func() error // waits until what the job refers to is durable; may be nil
	done   chan error
}

// records are rows that are written at the end of a batch, in bulk and numbered.
type records struct {
	runs    []runRow
	events  []eventRow
	audit   []auditRow
	scripts []scriptRow
}

func (r *records) none() bool {
	return len(r.runs) == 0 && len(r.events) == 0 && len(r.audit) == 0 && len(r.scripts) == 0
}

func (r *records) add(o records) {
	r.runs = append(r.runs, o.runs...)
	r.events = append(r.events, o.events...)
	r.audit = append(r.audit, o.audit...)
	r.scripts = append(r.scripts, o.scripts...)
}

type pendingStart struct {
	at   time.Time
	rows records
}

func startWriter(meta *metadata, log *slog.Logger, wake func(), faults func(string)) *writer {
	w := &writer{db: meta.write, statements: meta.commit, log: log, wake: wake, faults: faults,
		jobs: make(chan *job), flushes: make(chan chan error), stop: make(chan struct{}), stopped: make(chan struct{}),
		byRun: map[string]*pendingStart{}, kick: make(chan struct{}, 1)}
	go w.loop()
	return w
}

// close writes what waits and ends the writer.
func (w *writer) close() error {
	err := w.flush()
	close(w.stop)
	<-w.stopped
	return err
}

// do runs a job in a transaction and answers when it is durable, or was refused.
func (w *writer) do(check, write func(ctx context.Context, b *batch) error) error {
	return w.doOnce(nil, check, write)
}

// doOnce is do, but the transaction is not committed before settle has answered. Whoever
// commits with it waits too: settle is for what is nearly done.
func (w *writer) doOnce(settle func() error, check, write func(ctx context.Context, b *batch) error) error {
	j := &job{check: check, write: write, settle: settle, done: make(chan error, 1)}
	select {
	case w.jobs <- j:
		return <-j.done
	case <-w.stopped:
		return errClosed()
	}
}

// started records, soon, that a run began.
func (w *writer) started(runID string, rows records) {
	p := &pendingStart{at: time.Now(), rows: rows}
	w.mu.Lock()
	w.starts = append(w.starts, p)
	w.byRun[runID] = p
	w.mu.Unlock()
	w.nudge()
}

// takeStart takes back a start that is not written yet, so that it goes with the end. It
// answers nothing if it is written already.
func (w *writer) takeStart(runID string) records {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.byRun[runID]
	if !ok {
		return records{}
	}
	delete(w.byRun, runID)
	rows := p.rows
	p.rows = records{} // its place in the queue stays, empty
	return rows
}

// later records something on which nothing depends.
func (w *writer) later(rows records) {
	w.mu.Lock()
	w.lazy.add(rows)
	full := len(w.lazy.runs) >= lazyMost || len(w.lazy.audit) >= lazyMost
	w.mu.Unlock()
	if full {
		_ = w.flush() // logged there
		return
	}
	w.nudge()
}

func (w *writer) nudge() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

// flush makes all that waits durable.
func (w *writer) flush() error {
	done := make(chan error, 1)
	select {
	case w.flushes <- done:
		return <-done
	case <-w.stopped:
		return errClosed()
	}
}

func (w *writer) loop() {
	defer close(w.stopped)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	waiting := false
	for {
		var jobs []*job
		var flushes []chan error
		select {
		case j := <-w.jobs:
			jobs = append(jobs, j)
		case f := <-w.flushes:
			flushes = append(flushes, f)
		case <-w.kick:
			if !waiting {
				waiting = true
				timer.Reset(lazyDelay)
			}
			continue
		case <-timer.C:
			waiting = false
		case <-w.stop:
			return
		}
		for more := true; more && len(jobs) < batchJobs; {
			select {
			case j := <-w.jobs:
				jobs = append(jobs, j)
			case f := <-w.flushes:
				flushes = append(flushes, f)
			default:
				more = false
			}
		}
		err := w.run(jobs, len(flushes) > 0)
		for _, f := range flushes {
			f <- err
		}
	}
}

// takeLazy takes what waits: all of it, but starts only if they are old enough that the
// run's end will not come in the same breath, unless everything is wanted.
func (w *writer) takeLazy(everything bool) (rows records) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := time.Now().Add(-lazyDelay)
	n := 0
	for ; n < len(w.starts) && (everything || w.starts[n].at.Before(due)); n++ {
		rows.add(w.starts[n].rows)
		for _, r := range w.starts[n].rows.runs {
			delete(w.byRun, r.ID)
		}
	}
	w.starts = slices.Delete(w.starts, 0, n)
	rows.add(w.lazy)
	w.lazy = records{}
	if len(w.starts) > 0 {
		w.nudge()
	}
	return rows
}

// run makes one transaction of jobs and of what waits, and answers the jobs.
func (w *writer) run(jobs []*job, everything bool) error {
	lazy := w.takeLazy(everything)
	if len(jobs) == 0 && lazy.none() {
		return nil
	}
	answers, err := w.transact(jobs, lazy)
	if err != nil && len(jobs) > 1 {
		// One of them cannot be written. The others shall not suffer for it.
		w.log.Warn("shared metadata transaction failed, trying one by one", "jobs", len(jobs), "error", err)
		w.keep(lazy)
		for _, j := range jobs {
			_ = w.run([]*job{j}, false)
		}
		return err
	}
	if err != nil {
		w.log.Error("metadata transaction failed", "jobs", len(jobs), "records", len(lazy.runs), "error", err)
		w.keep(lazy)
		err = fmt.Errorf("commit the metadata: %w", err)
	} else {
		w.wake()
	}
	for i, j := range jobs {
		if err != nil {
			j.done <- err
		} else {
			j.done <- answers[i]
		}
	}
	return err
}

// keep puts lazy records back for the next transaction, within bounds.
func (w *writer) keep(lazy records) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lazy.runs) < 4*lazyMost && len(w.lazy.audit) < 4*lazyMost {
		lazy.add(w.lazy)
		w.lazy = lazy
	}
}
