package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

var lastEventID = parameter{"Last-Event-ID", text, false, "Goes on after this event. Browsers send it by themselves."}

func (s *server) eventRoutes() []route {
	return []route{
		{method: "GET", path: "/api/events", id: "followEvents", tag: "events", scopes: reading, streams: true,
			summary: "Follow what happens in the workspace.",
			details: "A stream of server-sent events in the order of commits; the id of each goes into Last-Event-ID to go on after it, and none is missed. " +
				"Types: file:created {id, name, size, mime_type, source_session_id}, file:modified {id, name, size, modified_on}, file:deleted {id}, " +
				"state:change {set, deleted}, and with the scope run also run:started {id, kind, name}, run:log {id, lines}, run:finished {id, kind, name, ok, code}. " +
				"A client that does not read for a while is disconnected, and can go on where it was. One whose event the log cannot go on after, because what followed was removed for its age or the data folder was restored from a backup, " +
				"first gets reset {after, oldest, last}: what it knows from events may be out of date.",
			query: []parameter{
				{"types", text, false, "Only these, separated by commas."},
				{"session_id", text, false, "Only what this session caused."},
				{"after", text, false, "The same as Last-Event-ID; 0 is from the beginning. Defaults to what comes from now on."},
			},
			headers: []parameter{lastEventID},
			answers: []content{{status: 200, doc: "Server-sent events.", media: eventMedia}}, serve: s.followEvents},
	}
}

func (s *server) followEvents(w http.ResponseWriter, r *http.Request) error {
	a := askedOf(r)
	filter := event.Filter{Workspace: a.workspace, SessionID: textOf(r, "session_id")}
	var err error
	if filter.Types, err = eventTypes(a.caller, textOf(r, "types")); err != nil {
		return err
	}
	var lost *event.Lost
	if filter.After, lost, err = s.resumeAfter(r, event.Live); err != nil {
		return err
	}
	if lost != nil {
		filter.After = lost.Resume()
	}
	return s.stream(w, r, filter, lost, func(event.Event) bool { return false })
}

// followRun is the log of one run, from its first line to its end.
func (s *server) followRun(w http.ResponseWriter, r *http.Request) error {
	run, err := s.runs(r).Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	filter := event.Filter{Workspace: askedOf(r).workspace, RunID: run.ID, Types: []string{event.RunLog, event.RunFinished}}
	var lost *event.Lost
	if filter.After, lost, err = s.resumeAfter(r, 0); err != nil {
		return err
	}
	if lost != nil {
		filter.After = 0 // from the first line that is kept
	}
	if run.Status != workspace.StatusRunning {
		// Browsers come back after the end of a stream, until they are told that it is over.
		if past, err := s.Host.Events().Past(r.Context(), filter, 1); err != nil {
			return err
		} else if len(past) == 0 {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	return s.stream(w, r, filter, lost, func(e event.Event) bool { return e.Type == event.RunFinished })
}

// resumeAfter is the last event that the client has, or def; and what the log lacks to go on
// after it.
func (s *server) resumeAfter(r *http.Request, def int64) (after int64, lost *event.Lost, err error) {
	given, name := textOf(r, "after"), "after"
	if header := r.Header.Get("Last-Event-ID"); header != "" {
		given, name = header, "Last-Event-ID"
	}
	if given == "" {
		return def, nil, nil
	}
	if after, err = strconv.ParseInt(given, 10, 64); err != nil || after < 0 {
		return 0, nil, invalid(name, "expected the id of an event, got %.100q", given)
	}
	if err = s.Host.Events().Check(r.Context(), after); errors.As(err, &lost) {
		err = nil
	}
	return after, lost, err
}

// eventTypes are those that a caller may follow of those that it wants.
func eventTypes(caller access.Caller, wanted string) ([]string, error) {
	known := event.Types()
	if !caller.Can(access.Run) {
		known = slices.DeleteFunc(known, func(t string) bool { return strings.HasPrefix(t, "run:") })
	}
	if wanted == "" {
		return known, nil
	}
	types := strings.Split(wanted, ",")
	for _, t := range types {
		switch {
		case !slices.Contains(event.Types(), t):
			return nil, invalid("types", "there is no type %.100q; expected some of %s", t, strings.Join(event.Types(), ", "))
		case !slices.Contains(known, t):
			return nil, caller.Require(access.Run)
		}
	}
	return types, nil
}

// stream sends events as they come, until the client leaves, stops reading, or last says
// that one was the last. A client that has missed some is told first.
func (s *server) stream(w http.ResponseWriter, r *http.Request, filter event.Filter, lost *event.Lost, last func(event.Event) bool) error {
	h := w.Header()
	h.Set("Content-Type", eventMedia)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // for nginx, which would keep events back
	if r.Method == http.MethodHead {
		return nil // a stream would keep the connection from its next request
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	events, err := s.Host.Events().Follow(ctx, filter)
	if err != nil {
		h.Del("X-Accel-Buffering")
		return problem.New(problem.Busy, "the host does not take work").WithCause(err)
	}
	defer events.Close()
	text, checked := opening(events.After(), filter.After == event.Live, lost), time.Now()
	batches := make(chan []event.Event)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(batches)
		for {
			batch, err := events.Next(ctx)
			if err != nil {
				return // the client comes back, and finds what is wrong or nothing
			}
			select {
			case batches <- batch:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { cancel(); <-ended }()

	out := &steadyStream{w: w, conn: http.NewResponseController(w), pause: s.ReadPause}
	heartbeat := time.NewTicker(s.Heartbeat)
	defer heartbeat.Stop()
	for {
		if err := out.send(text); err != nil {
			s.metrics.dropped.Inc()
			return nil
		}
		select {
		case batch, ok := <-batches:
			if !ok || !s.stillKnown(r, &checked) {
				return nil
			}
			text = text[:0]
			for _, e := range batch {
				if text = appendEvent(text, e); last(e) {
					_ = out.send(text)
					return nil
				}
			}
		case <-heartbeat.C:
			if !s.stillKnown(r, &checked) {
				return nil
			}
			text = append(text[:0], ": alive\n\n"...)
		case <-s.stopping:
			return nil
		}
	}
}

// recheckAfter is how long a stream relies on its token before it looks again whether it
// was revoked or has expired.
const recheckAfter = time.Second

// stillKnown tells whether the credential that a stream was opened with is good.
func (s *server) stillKnown(r *http.Request, checked *time.Time) bool {
	if time.Since(*checked) < min(recheckAfter, s.Heartbeat/2) {
		return true
	}
	*checked = time.Now()
	_, err := s.callerOf(r)
	return err == nil
}

// opening is the beginning of a stream. A client that did not say where to begin is told
// where it is, so that it misses none if it leaves before the first event; and any is told
// what it has missed.
func opening(after int64, live bool, lost *event.Lost) []byte {
	b := []byte("retry: 1000")
	if live || lost != nil {
		b = strconv.AppendInt(append(b, "\nid: "...), after, 10)
	}
	if lost != nil {
		told, _ := json.Marshal(lost) // it is numbers
		b = append(append(b, "\nevent: reset\ndata: "...), told...)
	}
	return append(b, "\n\n"...)
}

// appendEvent writes an event as the HTML standard has it. Payloads are JSON on one line.
func appendEvent(b []byte, e event.Event) []byte {
	b = append(b, "id: "...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, "\nevent: "...)
	b = append(b, e.Type...)
	b = append(b, "\ndata: "...)
	b = append(b, e.Payload...)
	return append(b, "\n\n"...)
}

// steadyStream gives up on a client that does not read what it is sent.
type steadyStream struct {
	w     http.ResponseWriter
	conn  *http.ResponseController
	pause time.Duration
}

func (s *steadyStream) send(text []byte) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.pause))
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	err := s.conn.Flush()
	_ = s.conn.SetWriteDeadline(time.Time{}) // of HTTP/2 it would end a stream that waits for its next event
	return err
}
