package workspace

import (
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/host"
)

// logDelay is how long a console line may wait for more before it becomes an event, and so
// how far behind a run's log may be seen.
const logDelay = 50 * time.Millisecond

// logEventBytes is how much text one event of a log has at most, but for a single line.
const logEventBytes = 16 << 10

// runLog makes events of what a run writes to its console, while it goes on. They are kept
// whatever becomes of the run: its log is what tells why it failed.
type runLog struct {
	mu     sync.Mutex
	lines  []host.LogLine
	bytes  int64 // of all lines so far
	timer  *time.Timer
	closed bool
}

// Log implements host.Host.
func (r *Run) Log(line host.LogLine) {
	if r.start.Log != nil {
		r.start.Log(line)
	}
	l := &r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += int64(len(line.Text)) + 16
	if l.closed || r.row.ID == "" || l.bytes > 2*r.limits.ConsoleBytes { // the console itself stops before that
		return
	}
	l.lines = append(l.lines, line)
	if len(l.lines) == 1 {
		l.timer = time.AfterFunc(logDelay, r.writeLog)
	}
}

// writeLog hands the lines so far to the writer, after the event of the run's begin.
func (r *Run) writeLog() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	if r.log.closed || len(r.log.lines) == 0 {
		return
	}
	rows := r.store.writer.takeStart(r.row.ID)
	rows.events = append(rows.events, r.logEvents()...)
	r.log.lines = nil
	r.store.writer.later(rows)
}

// closeLog ends the log; what was not written yet is for lastLines.
func (r *Run) closeLog() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.log.closed = true
	if r.log.timer != nil {
		r.log.timer.Stop()
	}
}

// lastLines are the events of a closed log that go with the run's end; the same every time.
func (r *Run) lastLines() []eventRow {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.logEvents()
}

func (r *Run) logEvents() []eventRow {
	var rows []eventRow
	payload := event.Log{ID: r.row.ID}
	size := 0
	for _, line := range r.log.lines {
		if size += len(line.Text); size > logEventBytes && len(payload.Lines) > 0 {
			rows = append(rows, r.event(event.RunLog, payload))
			payload.Lines, size = nil, len(line.Text)
		}
		payload.Lines = append(payload.Lines, event.Line{Level: line.Level, Text: line.Text, TimeMs: line.TimeMs})
	}
	if len(payload.Lines) > 0 {
		rows = append(rows, r.event(event.RunLog, payload))
	}
	return rows
}
