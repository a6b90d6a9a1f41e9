package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/fetch"
	"github.com/sandboxd/sandboxd/problem"
)

// serve starts a server on loopback and gives its address as host:port and as URL.
func serve(t *testing.T, handler http.HandlerFunc) (addr, base string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	u, _ := url.Parse(server.URL)
	return u.Host, server.URL
}

func client(t *testing.T, config fetch.Config) *fetch.Client {
	t.Helper()
	c, err := fetch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// allowing is a client for which exactly this host:port is allowed although it is not public.
func allowing(t *testing.T, addr string) *fetch.Client {
	return client(t, fetch.Config{AllowPrivate: []string{addr}})
}

func hello(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }

func wantCode(t *testing.T, err error, code problem.Code, words ...string) {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, word := range words {
		if !strings.Contains(e.Message, word) {
			t.Errorf("message %q does not say %q", e.Message, word)
		}
	}
	for _, leak := range []string{"dial tcp", "lookup", "http: ", "context "} {
		if strings.Contains(e.Message+e.Hint, leak) {
			t.Errorf("Go error text in %q", e.Message)
		}
	}
}

func TestDownload(t *testing.T) {
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Cookie", "Authorization", "Referer"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s was sent", name)
			}
		}
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("Accept-Encoding %q", got)
		}
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		io.WriteString(w, "a,b\n1,2\n")
	})
	var got bytes.Buffer
	meta, err := allowing(t, addr).Get(context.Background(), base+"/files/data.csv?key=1#part", &got)
	if err != nil {
		t.Fatal(err)
	}
	want := fetch.Meta{Name: "data.csv", MimeType: "text/csv", Size: 8, FinalURL: base + "/files/data.csv"}
	if meta != want || got.String() != "a,b\n1,2\n" {
		t.Errorf("got %+v %q, want %+v", meta, &got, want)
	}
}

// The same server is reached with the allowance and refused without it: the guard and
// nothing else makes the difference.
func TestLoopbackNeedsAnAllowance(t *testing.T) {
	asked := false
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) { asked = true; hello(w, r) })
	_, port, _ := net.SplitHostPort(addr)

	for _, address := range []string{base, "http://localhost:" + port, "http://[::1]:" + port, "http://[::ffff:127.0.0.1]:" + port,
		"http://0.0.0.0:" + port, "http://[::]:" + port, "http://127.1:" + port, "http://2130706433:" + port, "http://0x7f000001:" + port} {
		_, err := client(t, fetch.Config{}).Get(context.Background(), address, io.Discard)
		wantCode(t, err, problem.FetchFailed)
		_, err = client(t, fetch.Config{AllowPrivate: []string{"10.0.0.0/8", "127.0.0.1:1"}}).Get(context.Background(), address, io.Discard)
		wantCode(t, err, problem.FetchFailed)
	}
	_, err := client(t, fetch.Config{}).Get(context.Background(), base, io.Discard)
	wantCode(t, err, problem.FetchFailed, "no public address")
	if asked {
		t.Fatal("a request got through")
	}
	for _, allow := range []string{addr, "127.0.0.1", "127.0.0.0/8"} {
		if _, err := client(t, fetch.Config{AllowPrivate: []string{allow}}).Get(context.Background(), base, io.Discard); err != nil {
			t.Errorf("with %s: %v", allow, err)
		}
	}
	for _, allow := range []string{"localhost", "LocalHost.", "localhost:" + port} {
		if _, err := client(t, fetch.Config{AllowPrivate: []string{allow}}).Get(context.Background(), "http://localhost:"+port, io.Discard); err != nil {
			t.Errorf("with %s: %v", allow, err)
		}
	}
	if !asked {
		t.Fatal("no request got through")
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxied := false
	_, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { proxied = true })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	_, err := client(t, fetch.Config{}).Get(context.Background(), "http://192.0.2.1/x", io.Discard)
	wantCode(t, err, problem.FetchFailed, "no public address")
	if proxied {
		t.Fatal("the proxy was asked")
	}
}

func TestRedirects(t *testing.T) {
	inner, innerURL := serve(t, hello)
	var hops int
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" {
			t.Error("a Referer was sent")
		}
		switch r.URL.Path {
		case "/hop":
			hops++
			http.Redirect(w, r, fmt.Sprintf("/hop?n=%d", hops), http.StatusFound)
		case "/private":
			http.Redirect(w, r, innerURL+"/secret", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/user":
			http.Redirect(w, r, "http://user:pw@"+r.Host+"/", http.StatusFound)
		case "/once":
			http.Redirect(w, r, "/there/report.txt", http.StatusMovedPermanently)
		default:
			hello(w, r)
		}
	})
	c := allowing(t, addr)
	get := func(path string) (fetch.Meta, error) {
		return c.Get(context.Background(), base+path, io.Discard)
	}
	if meta, err := get("/once"); err != nil || meta.Name != "report.txt" || meta.FinalURL != base+"/there/report.txt" {
		t.Errorf("%+v %v", meta, err)
	}
	_, err := get("/hop")
	wantCode(t, err, problem.FetchFailed, "redirects more than 5 times")
	if hops != 6 {
		t.Errorf("%d requests, want the first and 5 redirects", hops)
	}
	for _, path := range []string{"/private", "/metadata"} {
		_, err = get(path)
		wantCode(t, err, problem.FetchFailed, "no public address")
	}
	for _, path := range []string{"/file", "/user"} {
		_, err = get(path)
		wantCode(t, err, problem.FetchFailed, "redirects to something")
		if strings.Contains(err.(*problem.Error).Message, "pw") {
			t.Errorf("the password is in %q", err.(*problem.Error).Message)
		}
	}
	if _, err := client(t, fetch.Config{AllowPrivate: []string{addr, inner}}).Get(context.Background(), base+"/private", io.Discard); err != nil {
		t.Errorf("with both allowed: %v", err)
	}
	_, err = client(t, fetch.Config{AllowPrivate: []string{addr}, Redirects: -1}).Get(context.Background(), base+"/once", io.Discard)
	wantCode(t, err, problem.FetchFailed, "redirects more than 0 times")
}

func TestSizeCap(t *testing.T) {
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/said" {
			w.Header().Set("Content-Length", "1001")
		}
		data := make([]byte, 1001)
		if r.URL.Path == "/fits" {
			data = data[:1000]
		}
		for len(data) > 0 {
			n := min(100, len(data))
			w.Write(data[:n])
			w.(http.Flusher).Flush()
			data = data[n:]
		}
	})
	c := client(t, fetch.Config{Max: 1000, AllowPrivate: []string{addr}})
	for _, path := range []string{"/said", "/unsaid"} {
		var got bytes.Buffer
		_, err := c.Get(context.Background(), base+path, &got)
		wantCode(t, err, problem.FileTooLarge, "more than 1000 bytes")
		if got.Len() > 1000 {
			t.Errorf("%s: %d bytes written", path, got.Len())
		}
	}
	if meta, err := c.Get(context.Background(), base+"/fits", io.Discard); err != nil || meta.Size != 1000 {
		t.Errorf("%+v %v", meta, err)
	}
	if meta, err := c.GetUpTo(context.Background(), base+"/unsaid", io.Discard, 1001); err != nil || meta.Size != 1001 {
		t.Errorf("with a limit of its own: %+v %v", meta, err)
	}
	_, err := c.GetUpTo(context.Background(), base+"/fits", io.Discard, 999)
	wantCode(t, err, problem.FileTooLarge, "more than 999 bytes")
}

func TestNoDecompression(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 10<<20))
	z.Close()
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	})
	_, err := allowing(t, addr).Get(context.Background(), base+"/data.csv", io.Discard)
	wantCode(t, err, problem.FetchFailed, "compressed")
	meta, err := allowing(t, addr).Get(context.Background(), base+"/data.tar.gz", io.Discard)
	if err != nil || meta.Size != int64(bomb.Len()) {
		t.Errorf("a .gz file that is called encoded: %+v %v, want its %d bytes as they are", meta, err, bomb.Len())
	}
}

func TestStatus(t *testing.T) {
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	})
	for status, text := range map[int]string{404: "404 Not Found", 500: "500 Internal Server Error", 206: "206 Partial Content", 304: "304", 599: "599"} {
		_, err := allowing(t, addr).Get(context.Background(), fmt.Sprintf("%s/%d?secret=1", base, status), io.Discard)
		wantCode(t, err, problem.FetchFailed, "answered "+text)
		if e := err.(*problem.Error); e.Details["status"] != status || strings.Contains(e.Message, "secret") {
			t.Errorf("%d: %+v", status, e)
		}
	}
}

func TestTimeAndRateCaps(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.Write([]byte{'.'})
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		name    string
		handler http.HandlerFunc
		config  fetch.Config
		says    string
	}{
		{"drip", drip, fetch.Config{MinRate: 1 << 20, RateWindow: 50 * time.Millisecond}, "too slowly"},
		{"long", drip, fetch.Config{MinRate: 1, Timeout: 100 * time.Millisecond}, "longer than 100ms"},
		{"silent", silent, fetch.Config{AnswerTimeout: 50 * time.Millisecond}, "did not answer in time"},
		{"silent and long", silent, fetch.Config{Timeout: 50 * time.Millisecond}, "longer than 50ms"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			addr, base := serve(t, test.handler)
			test.config.AllowPrivate = []string{addr}
			_, err := client(t, test.config).Get(context.Background(), base, io.Discard)
			wantCode(t, err, problem.FetchFailed, test.says)
		})
	}
	t.Run("caller", func(t *testing.T) {
		addr, base := serve(t, silent)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := allowing(t, addr).Get(ctx, base, io.Discard)
		wantCode(t, err, problem.Timeout)
		ctx, stop := context.WithCancel(context.Background())
		stop()
		_, err = allowing(t, addr).Get(ctx, base, io.Discard)
		wantCode(t, err, problem.Canceled)
	})
}

func TestHeadersAreCapped(t *testing.T) {
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
		hello(w, r)
	})
	_, err := allowing(t, addr).Get(context.Background(), base, io.Discard)
	wantCode(t, err, problem.FetchFailed)
	if _, err := client(t, fetch.Config{HeaderBytes: 200 << 10, AllowPrivate: []string{addr}}).Get(context.Background(), base, io.Discard); err != nil {
		t.Errorf("with more room: %v", err)
	}
}

func TestAnswerThatEndsEarly(t *testing.T) {
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		hello(w, r)
	})
	_, err := allowing(t, addr).Get(context.Background(), base, io.Discard)
	wantCode(t, err, problem.FetchFailed, "ended early")
}

func TestBadCertificate(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the handshake
	server.StartTLS()
	t.Cleanup(server.Close)
	addr := strings.TrimPrefix(server.URL, "https://")
	_, err := allowing(t, addr).Get(context.Background(), server.URL, io.Discard)
	wantCode(t, err, problem.FetchFailed, "no secure connection")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, problem.New(problem.WorkspaceFull, "no room") }

func TestErrorOfTheDestination(t *testing.T) {
	addr, base := serve(t, hello)
	_, err := allowing(t, addr).Get(context.Background(), base, full{})
	wantCode(t, err, problem.WorkspaceFull)
}

func TestBadAddresses(t *testing.T) {
	c := client(t, fetch.Config{})
	for _, address := range []string{"", "example.com/x", "ftp://example.com/x", "file:///etc/passwd", "http://", "http:///x", "javascript:alert(1)",
		"http://user:pw@example.com/", "http://example.com/\x00", "http://exa mple.com/", "http://[::1", "http:example.com", "http://" + strings.Repeat("a", 9000)} {
		_, err := c.Get(context.Background(), address, io.Discard)
		wantCode(t, err, problem.InvalidArgument, "url: ")
	}
}

func TestDownloadsTakeTurns(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	addr, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	c := client(t, fetch.Config{Concurrent: 1, AllowPrivate: []string{addr}})
	done := make(chan error, 1)
	go func() {
		_, err := c.Get(context.Background(), base, io.Discard)
		done <- err
	}()
	<-arrived
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := c.Get(ctx, base, io.Discard)
	wantCode(t, err, problem.Timeout)
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAllowanceThatMeansNothing(t *testing.T) {
	for _, entry := range []string{"", "10.0.0.0/40", "http://intranet", "a b", "*"} {
		if _, err := fetch.New(fetch.Config{AllowPrivate: []string{entry}}); err == nil {
			t.Errorf("%q was taken", entry)
		}
	}
}
