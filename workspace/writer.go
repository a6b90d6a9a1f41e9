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
// durable share the next transaction, each in a savepoint of its own. Records of runs that
// changed nothing are written lazily, with the next transaction or after lazyDelay.
type writer struct {
	db     *bun.DB
	log    *slog.Logger
	wake   func() // after a commit with events
	faults func(string)

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

// job is a commit: do writes through the batch and may be refused without harm to others.
type job struct {
	do   func(ctx context.Context, b *batch) error
	done chan error
}

// records are rows that are written at the end of a batch, in bulk and numbered.
type records struct {
	runs   []runRow
	events []eventRow
}

func (r *records) add(o records) {
	r.runs = append(r.runs, o.runs...)
	r.events = append(r.events, o.events...)
}

type pendingStart struct {
	at   time.Time
	rows records
}

// batch is a transaction under way.
type batch struct {
	tx  bun.Tx
	seq int64 // the next commit's number
	records
}

func startWriter(db *bun.DB, log *slog.Logger, wake func(), faults func(string)) *writer {
	w := &writer{db: db, log: log, wake: wake, faults: faults,
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
func (w *writer) do(fn func(ctx context.Context, b *batch) error) error {
	j := &job{do: fn, done: make(chan error, 1)}
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
	full := len(w.lazy.runs) >= lazyMost
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
func (w *writer) takeLazy(everything bool) (rows records, ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due := time.Now().Add(-lazyDelay)
	n := 0
	for ; n < len(w.starts) && (everything || w.starts[n].at.Before(due)); n++ {
		rows.add(w.starts[n].rows)
		for _, r := range w.starts[n].rows.runs {
			delete(w.byRun, r.ID)
			ids = append(ids, r.ID)
		}
	}
	w.starts = slices.Delete(w.starts, 0, n)
	rows.add(w.lazy)
	w.lazy = records{}
	if len(w.starts) > 0 {
		w.nudge()
	}
	return rows, ids
}

// run makes one transaction of jobs and of what waits, and answers the jobs.
func (w *writer) run(jobs []*job, everything bool) error {
	lazy, _ := w.takeLazy(everything)
	if len(jobs) == 0 && len(lazy.runs) == 0 && len(lazy.events) == 0 {
		return nil
	}
	answers, err := w.transact(jobs, lazy)
	if err != nil {
		w.log.Error("metadata transaction failed", "jobs", len(jobs), "records", len(lazy.runs), "error", err)
		w.mu.Lock()
		if len(w.lazy.runs) < 4*lazyMost { // keep them for the next attempt, within bounds
			lazy.add(w.lazy)
			w.lazy = lazy
		}
		w.mu.Unlock()
	} else {
		w.wake()
	}
	for i, j := range jobs {
		if err != nil {
			j.done <- fmt.Errorf("commit the metadata: %w", err)
		} else {
			j.done <- answers[i]
		}
	}
	return err
}

func (w *writer) transact(jobs []*job, lazy records) (answers []error, err error) {
	ctx := context.Background() // what others wait for too does not end with one caller's context
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	b := &batch{tx: tx, records: lazy}
	var events int64
	grow := int64(len(jobs) + len(lazy.runs))
	if err := tx.NewRaw("UPDATE counters SET runs = runs + ? WHERE id = 1 RETURNING runs, events", grow).Scan(ctx, &b.seq, &events); err != nil {
		return nil, fmt.Errorf("take numbers: %w", err)
	}
	b.seq -= grow
	for i := range b.runs {
		b.seq++
		if b.runs[i].Status != StatusRunning {
			b.runs[i].Seq = b.seq
		}
	}
	answers = make([]error, len(jobs))
	for i, j := range jobs {
		b.seq++
		if answers[i], err = b.one(ctx, j, len(jobs) > 1); err != nil {
			return nil, err
		}
	}
	if len(jobs) == 1 && answers[0] != nil {
		// Refused alone: whatever it wrote goes, the lazy records wait for the next batch.
		if err := tx.Rollback(); err != nil {
			return nil, err
		}
		if len(lazy.runs)+len(lazy.events) > 0 {
			w.mu.Lock()
			lazy.add(w.lazy)
			w.lazy = lazy
			w.mu.Unlock()
			w.nudge()
		}
		return answers, nil
	}
	if err := b.writeRecords(ctx, events); err != nil {
		return nil, err
	}
	w.faults("meta.written")
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	w.faults("meta.committed")
	return answers, nil
}

// one runs a job. If it shares the transaction, it gets a savepoint; refused is its own
// error, broken one that ends the whole transaction.
func (b *batch) one(ctx context.Context, j *job, shared bool) (refused, broken error) {
	before := records{runs: b.runs[:len(b.runs):len(b.runs)], events: b.events[:len(b.events):len(b.events)]}
	if shared {
		if _, err := b.tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
			return nil, err
		}
	}
	if refused = j.do(ctx, b); refused != nil {
		b.records = before
		if shared {
			if _, err := b.tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT job"); err != nil {
				return refused, err
			}
		}
	}
	if shared {
		if _, err := b.tx.ExecContext(ctx, "RELEASE SAVEPOINT job"); err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// writeRecords writes the batch's runs and events, the events numbered on from last.
func (b *batch) writeRecords(ctx context.Context, last int64) error {
	// A run may be here twice, as started and as ended; one statement cannot write a row twice.
	newest := map[string]int{}
	for i, r := range b.runs {
		newest[r.ID] = i
	}
	rows := b.runs[:0:0]
	for i, r := range b.runs {
		if newest[r.ID] == i {
			rows = append(rows, r)
		}
	}
	for chunk := range slices.Chunk(rows, 200) {
		_, err := b.tx.NewInsert().Model(&chunk).On("CONFLICT (id) DO UPDATE").
			Set("status = EXCLUDED.status").Set("error_code = EXCLUDED.error_code").Set("error = EXCLUDED.error").
			Set("receipt = EXCLUDED.receipt").Set("result_bytes = EXCLUDED.result_bytes").Set("finished_on = EXCLUDED.finished_on").
			Set("seq = EXCLUDED.seq").Set("db_changed = EXCLUDED.db_changed").Set("db_changeset = EXCLUDED.db_changeset").
			Set("db_reason = EXCLUDED.db_reason").Exec(ctx)
		if err != nil {
			return fmt.Errorf("record runs: %w", err)
		}
	}
	for i := range b.events {
		last++
		b.events[i].Seq = last
	}
	for chunk := range slices.Chunk(b.events, 200) {
		if _, err := b.tx.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return fmt.Errorf("record events: %w", err)
		}
	}
	if _, err := b.tx.NewRaw("UPDATE counters SET events = ? WHERE id = 1", last).Exec(ctx); err != nil {
		return fmt.Errorf("keep numbers: %w", err)
	}
	return nil
}
