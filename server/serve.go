package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Serve answers requests on a listener, which it closes, until ctx ends. Streams of events
// end then, and requests under way may take Config.Drain to end, and are cancelled after
// that: a run that is cancelled changes nothing. When it returns nothing is left at work.
func Serve(ctx context.Context, listener net.Listener, config Config) error {
	config = config.withDefaults()
	var underWay sync.WaitGroup
	handler := newServer(config, ctx.Done())
	httpServer := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			underWay.Add(1)
			defer underWay.Done()
			handler.ServeHTTP(w, r)
		}),
		// Bodies have BodyPause and answers ReadPause. A time limit of the whole would end
		// long runs.
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
	}
	places := bound(listener, config.Connections)
	listener, httpServer.ConnState = places, places.state
	serve := httpServer.Serve
	if config.CertFile != "" {
		certificate := &certificate{certFile: config.CertFile, keyFile: config.KeyFile}
		if _, err := certificate.get(nil); err != nil {
			listener.Close()
			return err
		}
		httpServer.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get}
		serve = func(l net.Listener) error { return httpServer.ServeTLS(l, "", "") }
	}
	served := make(chan error, 1)
	go func() { served <- serve(listener) }()
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

// certificate is a pair of files that is read again when it was renewed.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	pair    *tls.Certificate
	of      time.Time // when the file was written
	checked time.Time
}

// checkEvery is how often the file is looked at.
const checkEvery = 10 * time.Second

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair != nil && time.Since(c.checked) < checkEvery {
		return c.pair, nil
	}
	info, err := os.Stat(c.certFile)
	if err == nil && (c.pair == nil || !info.ModTime().Equal(c.of)) {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.certFile, c.keyFile); err == nil {
			c.pair, c.of = &pair, info.ModTime()
		}
	}
	if c.pair == nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	c.checked = time.Now() // one that is being written now is read the next time
	return c.pair, nil
}
