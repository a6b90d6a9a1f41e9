// Package fetch downloads what a script names by URL, and nothing that is not meant for
// the public: it is the only way by which a script's wish leaves the machine.
//
// The address is checked when it is dialled, after the name was resolved, and again for
// every redirect, so that neither a name that changes its address nor a redirect reaches
// the host itself, its network or a cloud's metadata service. There is no proxy from the
// environment, no cookie, no credential, no decompression, and a cap on everything that
// the other side decides: size, time, rate, headers, redirects.
//
// Imports problem and limits. Start reading at Client.Get; guard.go decides on addresses.
package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Config is what a Client may do. The zero Config is safe and useful.
type Config struct {
	// Max is the size of a download, in bytes. Defaults to the default limit of a file, 50 MB.
	Max int64
	// Timeout is for a whole download, redirects included. Defaults to 60 s.
	Timeout time.Duration
	// AnswerTimeout is for each connection, TLS handshake and first header. Defaults to 15 s.
	AnswerTimeout time.Duration
	// MinRate is how many bytes must come in each RateWindow, so that nobody is held up
	// by a byte now and then. Defaults to 4 KB in 10 s.
	MinRate    int64
	RateWindow time.Duration
	// Redirects is how many are followed. Defaults to 5; negative means none.
	Redirects int
	// HeaderBytes is the size of an answer's headers. Defaults to 64 KB.
	HeaderBytes int64
	// Concurrent is how many downloads run at once; others wait. Defaults to 16.
	Concurrent int
	// AllowPrivate lists what may be reached although it is not public: an address, a
	// network (10.1.0.0/16), a host name, each but the network also with a port. Defaults to none.
	AllowPrivate []string
	// UserAgent defaults to "sandboxd".
	UserAgent string
}

// Client downloads. It is safe for concurrent use and keeps no connection open.
type Client struct {
	config Config
	http   *http.Client
	turns  chan struct{}
}

// New makes a client. The error names an entry of AllowPrivate that cannot be understood.
func New(config Config) (*Client, error) {
	orElse(&config.Max, limits.Default().FileBytes)
	orElse(&config.Timeout, time.Minute)
	orElse(&config.AnswerTimeout, 15*time.Second)
	orElse(&config.MinRate, 4<<10)
	orElse(&config.RateWindow, 10*time.Second)
	orElse(&config.HeaderBytes, 64<<10)
	orElse(&config.Concurrent, 16)
	if config.Redirects == 0 {
		config.Redirects = 5
	}
	if config.UserAgent == "" {
		config.UserAgent = "sandboxd"
	}
	g, err := newGuard(config.AllowPrivate)
	if err != nil {
		return nil, err
	}
	c := &Client{config: config, turns: make(chan struct{}, config.Concurrent)}
	dialer := &net.Dialer{Timeout: config.AnswerTimeout}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would dial in our place, unguarded
			DialContext:            g.dial(dialer),
			TLSHandshakeTimeout:    config.AnswerTimeout,
			ResponseHeaderTimeout:  config.AnswerTimeout,
			MaxResponseHeaderBytes: config.HeaderBytes,
			DisableCompression:     true, // what is small on the wire may be huge
			DisableKeepAlives:      true,
		},
		CheckRedirect: c.checkRedirect,
	}
	return c, nil
}

func orElse[T int | int64 | time.Duration](field *T, base T) {
	if *field <= 0 {
		*field = base
	}
}

// Meta is what is known of a download beside its bytes.
type Meta struct {
	Name     string // a plain file name: from the answer, else the address, else "download"
	MimeType string // as the server says, without parameters; "" if it does not
	Size     int64  // bytes written
	FinalURL string // after redirects
}

// Get downloads an http or https address into dst. The error is invalid_argument for a
// bad address, file_too_large, fetch_failed with the reason, timeout or canceled if ctx
// ended, or what dst answered. After an error dst may hold a part of the download.
func (c *Client) Get(ctx context.Context, rawURL string, dst io.Writer) (Meta, error) {
	return c.GetUpTo(ctx, rawURL, dst, c.config.Max)
}

// GetUpTo is Get with a size of its own, in bytes, in place of Config.Max.
func (c *Client) GetUpTo(ctx context.Context, rawURL string, dst io.Writer, max int64) (Meta, error) {
	target, err := parseURL(rawURL)
	if err != nil {
		return Meta{}, err
	}
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
	case <-ctx.Done():
		return Meta{}, problem.From(ctx.Err())
	}
	caller := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, c.config.Timeout, errTooLong)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)

	answer, err := c.ask(ctx, target)
	if err != nil {
		return Meta{}, c.explain(caller, ctx, target, max, err)
	}
	defer answer.Body.Close()
	final := answer.Request.URL
	meta := Meta{MimeType: mediaType(answer.Header), FinalURL: shown(final)}
	meta.Name = fileName(answer.Header.Get("Content-Disposition"), final, meta.MimeType)
	if err := acceptable(answer, meta.Name, max); err != nil {
		return Meta{}, err
	}
	meta.Size, err = c.receive(answer.Body, dst, max, abort)
	if err != nil {
		return Meta{}, c.explain(caller, ctx, final, max, err)
	}
	return meta, nil
}

func (c *Client) ask(ctx context.Context, target *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", c.config.UserAgent)
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "identity")
	return c.http.Do(request)
}

// acceptable judges an answer by its head.
func acceptable(answer *http.Response, name string, max int64) error {
	from := shown(answer.Request.URL)
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299 || answer.StatusCode == http.StatusPartialContent:
		return problem.New(problem.FetchFailed, "%s answered %s", from, statusText(answer.StatusCode)).
			WithHint("Check that the address is right and needs no sign-in.").
			With("status", answer.StatusCode)
	case answer.ContentLength > max:
		return tooLarge(from, max)
	}
	switch encoding := strings.ToLower(answer.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip": // some servers call every .gz file encoded; it is meant as it is
		if strings.HasSuffix(name, "gz") {
			return nil
		}
	}
	return problem.New(problem.FetchFailed, "%s answered with compressed content, which was not asked for", from).
		WithHint("Try another address for the same data.")
}

func tooLarge(from string, max int64) *problem.Error {
	return problem.New(problem.FileTooLarge, "%s has more than %d bytes", from, max).With("limit", max)
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return strconv.Itoa(status) + " " + text
	}
	return strconv.Itoa(status)
}

// parseURL takes what a script may name.
func parseURL(raw string) (*url.URL, error) {
	bad := func(format string, args ...any) error {
		return problem.New(problem.InvalidArgument, "url: "+format, args...).
			WithHint("Pass a whole address, such as https://example.com/data.csv.")
	}
	if len(raw) > 8<<10 {
		return nil, bad("it has %d bytes; an address may have %d", len(raw), 8<<10)
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		return nil, bad("expected an http or https address")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, bad("expected an http or https address, got the scheme %q", u.Scheme)
	case u.Hostname() == "":
		return nil, bad("the address names no host")
	case u.User != nil:
		return nil, bad("the address holds a user name or password, which are not sent")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// shown is an address as it may stand in a message: without its query, which may hold a secret.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
