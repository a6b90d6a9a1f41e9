package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve answers requests on a listener, which it closes, until ctx ends. Requests under
// way may then take Config.Drain to end, and are cancelled after that: a run that is
// cancelled changes nothing. When it returns nothing is left at work.
func Serve(ctx context.Context, listener net.Listener, config Config) error {
	config = config.withDefaults()
	var underWay sync.WaitGroup
	handler := New(config)
	httpServer := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			underWay.Add(1)
			defer underWay.Done()
			handler.ServeHTTP(w, r)
		}),
		// Bodies have BodyPause. A time limit of the whole answer would end long runs.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- httpServer.Serve(listener) }()
	select {
	case err := <-served: // the listener broke
		httpServer.Close()
		underWay.Wait()
		return err
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), config.Drain)
	defer cancel()
	if err := httpServer.Shutdown(draining); err != nil {
		config.Log.Warn("requests were still under way and are cancelled", "after", config.Drain)
		httpServer.Close()
	}
	<-served
	underWay.Wait()
	return nil
}
