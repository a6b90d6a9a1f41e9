package mcp

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// sink is a response that ends when its reader takes nothing for too long. What it holds
// back meanwhile is what the connection's buffers hold, and no more.
type sink struct {
	http.ResponseWriter
	conn   *http.ResponseController
	pause  time.Duration
	cancel context.CancelFunc // of the request

	mu    sync.Mutex
	ended bool
	beats sync.WaitGroup
}

func newSink(w http.ResponseWriter, pause time.Duration, cancel context.CancelFunc) *sink {
	return &sink{ResponseWriter: w, conn: http.NewResponseController(w), pause: pause, cancel: cancel}
}

// Write writes within the time that a reader may pause.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(p)
}

func (s *sink) write(p []byte) (int, error) {
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.pause))
	n, err := s.ResponseWriter.Write(p)
	if err != nil {
		s.cancel()
	}
	return n, err
}

// FlushError is what http.ResponseController calls.
func (s *sink) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

func (s *sink) flush() error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.pause))
	err := s.conn.Flush()
	if err != nil {
		s.cancel()
	}
	return err
}

// keepAlive sends a comment now and then, between events, until the request ends, and ends
// it when the token that it came with is not good any more.
func (s *sink) keepAlive(ctx context.Context, heartbeat time.Duration, token *standing) {
	s.beats.Go(func() {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if !token.good(ctx) {
				s.cancel()
				return
			}
			s.mu.Lock()
			if !s.ended && s.Header().Get("Content-Type") == "text/event-stream" {
				if _, err := s.write([]byte(": still here\n\n")); err == nil {
					_ = s.flush()
				}
			}
			s.mu.Unlock()
		}
	})
}

// end leaves the connection to its next request.
func (s *sink) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.cancel()
	s.beats.Wait()
	_ = s.conn.SetWriteDeadline(time.Time{})
}
