package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server"
)

// certify writes a certificate that is good for localhost.
func certify(t *testing.T, dir string) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for path, text := range map[string][]byte{certFile: certificate, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	return certFile, keyFile, pool
}

func TestServeSpeaksTLS(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Log: quiet, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	certFile, keyFile, pool := certify(t, t.TempDir())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, CertFile: certFile, KeyFile: keyFile, Log: quiet,
			ReadPause: 3 * time.Second, Heartbeat: 4 * time.Second})
	}()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true},
		CheckRedirect: plain.CheckRedirect}
	get := func(path string) *http.Response {
		t.Helper()
		res, err := client.Get("https://" + listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	if res := get("/readyz"); res.StatusCode != 200 || res.TLS == nil || res.ProtoMajor != 2 {
		t.Errorf("%d over %s", res.StatusCode, res.Proto)
	}
	// The cookie never goes over an open line.
	if cookies := get("/?token=a+token+of+the+tests").Cookies(); len(cookies) != 1 || !cookies[0].Secure {
		t.Errorf("%+v", cookies)
	}
	// A stream of HTTP/2 lives through a silence that is longer than its reader may take.
	req, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+listener.Addr().String()+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && lines.Text() != ": alive" {
	}
	if lines.Text() != ": alive" {
		t.Errorf("the stream ended: %v", lines.Err())
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(t.Context(), listener, server.Config{Host: h, CertFile: "nowhere.pem", KeyFile: keyFile, Log: quiet}); err == nil {
		t.Error("it serves without its certificate")
	}
}

// Streams do not hold up the end, and who asks then is told that it is the end.
func TestStreamsEndWhenTheServerStops(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Log: quiet, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, Drain: time.Hour, Log: quiet})
	}()
	l := &lab{t, h, "http://" + listener.Addr().String()}
	s := l.follow("/api/events")
	stop()
	select {
	case err := <-served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("a stream holds up the end")
		s.close()
		<-served
	}
	if e, more := s.next(); more {
		t.Errorf("got %+v", e)
	}
}
