// Package server is the HTTP host that agents and people talk to.
//
// It authenticates, turns requests into calls of the embedding API and answers into
// JSON; errors are problem details (RFC 9457) from the one error table. It parses no
// file and runs no script. Each request is an entry of one list, which serves it and from
// which the OpenAPI document derives.
//
// Imports sandboxd and what lies below it; nothing imports server but cmd. Start reading
// at routes, which is the list, at New, which has what stands in front of it, or at Serve,
// which owns a listener.
package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/cors"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
)

// Config is what a server needs.
type Config struct {
	// Host runs the scripts and keeps the files. Required.
	Host *sandboxd.Host
	// Token is the operator's own: it opens everything in every workspace, as
	// "Authorization: Bearer TOKEN", and a browser's session as ?token=TOKEN. Others are
	// made with Host.Tokens. With an empty one only those open.
	Token string
	// Hosts are the names that a request's Host header may carry beside localhost and IP
	// addresses; any other is refused, so that no page can reach the server by DNS
	// rebinding. Defaults to none.
	Hosts []string
	// Origins are pages of other origins that may use the API with a token, such as
	// "https://app.example". Defaults to none: CORS is off. See CheckOrigins.
	Origins []string
	// MCP serves /mcp, with the caller in its requests' context. Defaults to nothing there.
	MCP http.Handler
	// URL is where clients reach the server, for the links that it makes. Defaults to the
	// address that each request was sent to.
	URL string
	// Links signs links. Defaults to one of its own; share one with MCP.
	Links *Links
	// CertFile and KeyFile are PEM files; with them Serve speaks TLS. They are read again
	// when they change. Default to none.
	CertFile, KeyFile string

	// Rate is how many requests a second each token may send, and Burst how many at once
	// after a while of silence. Default to 1,000 and 2,000.
	Rate  float64
	Burst int
	// Requests is how many requests of a token may be under way. Defaults to 256.
	Requests int
	// Streams is how many event streams a token may have open; those whose client has just
	// left count for a moment more, and so does every request to MCP. Defaults to 2,048.
	Streams int

	// Connections is how many clients Serve has at a time, so that those who are there, and
	// the files, have descriptors; for more, idle ones are disconnected, or they wait.
	// Defaults to 8,192.
	Connections int
	// BodyPause is how long a client may pause while it sends a body. Defaults to 30 s.
	BodyPause time.Duration
	// ReadPause is how long a client may take to read a part of a download or of a stream
	// of events; then it is disconnected. Defaults to 30 s.
	ReadPause time.Duration
	// Heartbeat is how often a stream without events says that it is alive. Defaults to 15 s.
	Heartbeat time.Duration
	// Drain is how long requests under way may take to end when Serve stops; then they
	// are cancelled. Defaults to 30 s.
	Drain time.Duration
	// Proxies are reverse proxies in front of the server: a request of one is said to come
	// from the address in its X-Forwarded-For, over TLS if X-Forwarded-Proto is https.
	// Defaults to none.
	Proxies []netip.Prefix
	// Tracing gets a span of each request, below the one that its traceparent names. Defaults
	// to none.
	Tracing trace.TracerProvider
	// Log gets one line for each request, and one for each that failed through no fault of
	// the client.
	// Defaults to slog.Default().
	Log *slog.Logger

	// forgiven is in what time one wrong token is; tests choose it. Defaults to wrongEvery.
	forgiven time.Duration
}

func (c Config) withDefaults() Config {
	hosts := make([]string, len(c.Hosts))
	for i, name := range c.Hosts {
		hosts[i] = strings.ToLower(name)
	}
	c.Hosts = hosts
	orElse(&c.Rate, 1000)
	orElse(&c.Burst, 2000)
	orElse(&c.Requests, 256)
	orElse(&c.Streams, 2048)
	orElse(&c.Connections, 8192)
	orElse(&c.BodyPause, 30*time.Second)
	orElse(&c.ReadPause, 30*time.Second)
	orElse(&c.Heartbeat, 15*time.Second)
	orElse(&c.Drain, 30*time.Second)
	orElse(&c.forgiven, wrongEvery)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

func orElse[T int | float64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// CheckOrigins tells what is wrong with origins, which have the form scheme://host[:port].
func CheckOrigins(origins []string) error {
	for _, origin := range origins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			return fmt.Errorf("%q is no origin such as https://app.example: %w", origin, err)
		}
	}
	return nil
}

type server struct {
	Config
	tokenHash, sessionHash string // of Config.Token
	limits                 *throttle
	guesses                *guesses
	metrics                *metrics
	uploads                *uploads
	document               []byte // OpenAPI
	stopping               <-chan struct{}
}

// New gives the handler of the whole API; see routes. It owns nothing that must be closed.
func New(config Config) http.Handler { return newServer(config, nil) }

// newServer makes a server whose streams end when stopping is closed.
func newServer(config Config, stopping <-chan struct{}) http.Handler {
	config = config.withDefaults()
	s := &server{Config: config, tokenHash: access.Hash(config.Token), sessionHash: access.Hash(access.Session(config.Token)),
		limits:  &throttle{rate: rate.Limit(config.Rate), burst: config.Burst, requests: config.Requests, streams: config.Streams, tokens: map[string]*spending{}},
		guesses: &guesses{every: config.forgiven, addresses: map[netip.Prefix]*guesser{}}, stopping: stopping}
	s.metrics = newMetrics(config.Host)
	if s.Links == nil {
		s.Links = NewLinks(config.Host, config.URL)
	}
	s.uploads = newUploads(config.Host)

	list := s.routes()
	s.document = openAPI(list)
	root, api := http.NewServeMux(), http.NewServeMux()
	for _, rt := range list {
		handler := s.metrics.counted(rt.method+" "+rt.path, s.handler(rt))
		if rt.open {
			root.Handle(rt.method+" "+rt.path, s.guardedUnless(rt.path == "/healthz" || rt.path == "/readyz", handler))
		}
		api.Handle(rt.method+" "+rt.path, handler) // an open one too, for what it says of other methods
	}
	if config.MCP != nil {
		api.Handle("/mcp", s.metrics.counted("/mcp", http.HandlerFunc(s.serveMCP)))
	}
	root.Handle("/", s.guarded(s.authenticated(s.routed(api))))
	return s.told(s.traced(s.prepared(s.shared(root))))
}

// serveMCP serves what is mounted at /mcp within the caller's limits. Each of its requests
// counts as a stream of events, as which it may be answered: a client may well have more calls
// under way than there is place for, and MCP tells it so call by call.
func (s *server) serveMCP(w http.ResponseWriter, r *http.Request) {
	caller, _ := access.From(r.Context())
	leave, err := s.limits.enter(caller.TokenID, true)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer leave()
	s.MCP.ServeHTTP(w, withBase(r)) // for the links that it makes
}

// guardedUnless leaves out the checks of Host and Origin, for probes, which have neither.
func (s *server) guardedUnless(free bool, next http.Handler) http.Handler {
	if free {
		return next
	}
	return s.guarded(next)
}

// shared answers what browsers ask before they let a page of another origin use the API.
// Cookies are not for such pages.
func (s *server) shared(next http.Handler) http.Handler {
	if len(s.Origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: s.Origins,
		AllowedMethods: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"},
		AllowedHeaders: []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "Range", "X-Request-Id",
			"Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Offset", "X-HTTP-Method-Override", "Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"},
		ExposedHeaders: []string{"Content-Disposition", "Content-Range", "ETag", "Location", "Retry-After", "X-Request-Id",
			"Tus-Extension", "Tus-Max-Size", "Tus-Resumable", "Tus-Version", "Upload-Expires", "Upload-Length", "Upload-Metadata", "Upload-Offset", "Sandboxd-File-Id", "Mcp-Session-Id", "Mcp-Protocol-Version"},
		MaxAge: 600,
	}).Handler(next)
}

// prepared sets what every answer carries, and bounds how slowly a body may come.
func (s *server) prepared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // of the answer before, on this connection
		hurry(w, r, s.BodyPause)
		next.ServeHTTP(w, r)
	})
}
