package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Links makes signed addresses. What one lets its bearer do is written in it, and a key of
// the data folder vouches for it; it ends with its time, or with the token that it was made
// with. It is safe for concurrent use.
type Links struct {
	host *sandboxd.Host
	base string

	mu  sync.Mutex
	key []byte // once it was needed
}

var _ access.Links = (*Links)(nil)

// NewLinks makes links that begin with base, such as https://sandbox.example; with "" they
// begin with the address that the request at hand was sent to.
func NewLinks(host *sandboxd.Host, base string) *Links {
	return &Links{host: host, base: strings.TrimSuffix(base, "/")}
}

func (l *Links) secret(ctx context.Context) (key []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key == nil {
		l.key, err = l.host.Secret(ctx, "links")
	}
	return l.key, err
}

// How long links are good.
const (
	linkTime    = 15 * time.Minute
	linkMaxTime = 24 * time.Hour
)

// grant is what a link says.
type grant struct {
	Method    string `json:"m"`
	Workspace string `json:"w"`
	Token     string `json:"t,omitempty"` // that made it
	Expires   int64  `json:"x"`           // Unix seconds
	File      string `json:"f,omitempty"` // GET: its id
	Version   int64  `json:"v,omitempty"`
	Name      string `json:"n,omitempty"` // PUT
	Replace   bool   `json:"r,omitempty"`
	Session   string `json:"s,omitempty"`
}

// Upload implements access.Links.
func (l *Links) Upload(ctx context.Context, c access.Caller, g access.UploadGrant) (access.Link, error) {
	if err := c.Require(writing...); err != nil {
		return access.Link{}, err
	}
	if g.Name != "" {
		if _, err := workspace.CleanName(g.Name); err != nil {
			return access.Link{}, err
		}
	}
	return l.sign(ctx, grant{Method: http.MethodPut, Workspace: g.Workspace, Token: c.TokenID, Name: g.Name, Replace: g.Replace, Session: g.Session}, g.For)
}

// Download implements access.Links.
func (l *Links) Download(ctx context.Context, c access.Caller, g access.DownloadGrant) (access.Link, error) {
	if err := c.Require(reading...); err != nil {
		return access.Link{}, err
	}
	file, err := l.host.Files(g.Workspace).StatVersion(ctx, g.File, g.Version)
	if err != nil {
		return access.Link{}, err
	}
	return l.sign(ctx, grant{Method: http.MethodGet, Workspace: g.Workspace, Token: c.TokenID, File: file.ID, Version: g.Version}, g.For)
}

func (l *Links) sign(ctx context.Context, g grant, good time.Duration) (access.Link, error) {
	switch {
	case good == 0:
		good = linkTime
	case good < time.Second || good > linkMaxTime:
		return access.Link{}, invalid("expires_in", "expected seconds from 1 to %d", int(linkMaxTime.Seconds()))
	}
	key, err := l.secret(ctx)
	if err != nil {
		return access.Link{}, err
	}
	end := time.Now().Add(good)
	g.Expires = end.Unix()
	if g.Workspace == "" {
		g.Workspace = sandboxd.DefaultWorkspace
	}
	text, err := json.Marshal(g)
	if err != nil {
		return access.Link{}, err
	}
	said := base64.RawURLEncoding.EncodeToString(text)
	base := l.base
	if base == "" {
		base, _ = ctx.Value(baseKey{}).(string)
	}
	return access.Link{URL: base + "/api/signed/" + said + "." + seal(key, said), Method: g.Method,
		ExpiresOn: end.UTC().Format("2006-01-02T15:04:05Z")}, nil
}

func seal(key []byte, said string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(said))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// read gives what a link grants, if it is good for this.
func (l *Links) read(ctx context.Context, link, method string) (g grant, err error) {
	key, err := l.secret(ctx)
	if err != nil {
		return g, err
	}
	said, mac, _ := strings.Cut(link, ".")
	if !hmac.Equal([]byte(mac), []byte(seal(key, said))) {
		return g, errNoLink
	}
	text, err := base64.RawURLEncoding.DecodeString(said)
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	if err != nil || g.Method != method {
		return g, errNoLink
	}
	if time.Now().Unix() >= g.Expires {
		return g, problem.New(problem.Forbidden, "the link has expired").WithHint("Ask for a new one.")
	}
	if g.Token == "" {
		return g, nil
	}
	caller, err := l.host.Tokens().ByID(ctx, g.Token)
	if problem.CodeOf(err) == problem.Unauthorized {
		return g, problem.New(problem.Forbidden, "the token that made the link was revoked or has expired").WithHint("Ask for a new one.")
	}
	if _, inside := caller.In(g.Workspace, ""); err == nil {
		err = inside
	}
	return g, err
}

var errNoLink = problem.New(problem.Unauthorized, "the link is not one of this server's, or for another method").
	WithHint("Use it exactly as it was given, with the method that was given with it.")

type baseKey struct{}

// withBase remembers the address that a request was sent to, whose Host is checked.
func withBase(r *http.Request) *http.Request {
	scheme := "http://"
	if secure(r) {
		scheme = "https://"
	}
	return r.WithContext(context.WithValue(r.Context(), baseKey{}, scheme+r.Host))
}

type uploadLinkRequest struct {
	Name      string `json:"name,omitempty" jsonschema:"The file's name. Left out, whoever uploads says it, as ?name= or in the form."`
	Replace   bool   `json:"replace,omitempty" jsonschema:"Make a new version of a file of that name."`
	Session   string `json:"session_id,omitempty" jsonschema:"Provenance of the file."`
	ExpiresIn int64  `json:"expires_in,omitempty" jsonschema:"Seconds, at most 86,400. Defaults to 900."`
}

type downloadLinkRequest struct {
	File      string `json:"file" jsonschema:"Id or name."`
	Version   int64  `json:"version,omitempty" jsonschema:"Defaults to the latest when the link is used."`
	ExpiresIn int64  `json:"expires_in,omitempty" jsonschema:"Seconds, at most 86,400. Defaults to 900."`
}

func (s *server) linkRoutes() []route {
	return []route{
		takesAndGives(route{method: "POST", path: "/api/links/upload", id: "makeUploadLink", tag: "links", scopes: writing,
			summary: "Make an address that takes one file with PUT, without a token."}, s.makeUploadLink),
		takesAndGives(route{method: "POST", path: "/api/links/download", id: "makeDownloadLink", tag: "links", scopes: reading,
			summary: "Make an address that answers one file to GET, without a token."}, s.makeDownloadLink),
		{method: "GET", path: "/api/signed/{link}", id: "downloadByLink", tag: "links", open: true, summary: "Download by a link.",
			answers: []content{{status: 200, doc: "The file.", media: bytesMedia}, {status: 206, doc: "A part of it.", media: bytesMedia}, {status: 304, doc: "The client has it."},
				{status: 416, doc: "The file has no such part.", media: problemMedia, of: problemDetails{}}}, serve: s.downloadByLink},
		{method: "PUT", path: "/api/signed/{link}", id: "uploadByLink", tag: "links", open: true, summary: "Upload the body by a link.",
			query: []parameter{{"name", text, false, "The file's name, if the link has none."}}, body: &content{media: bytesMedia},
			answers: []content{{status: 201, doc: "The file is stored.", media: jsonMedia, of: uploadedFile{}}}, serve: s.uploadByLink},
		{method: "POST", path: "/api/signed/{link}", id: "uploadFormByLink", tag: "links", open: true, summary: "Upload a form by a link.",
			body:    &content{media: "multipart/form-data", of: uploadForm},
			answers: []content{{status: 201, doc: "The file is stored.", media: jsonMedia, of: uploaded{}}}, serve: s.uploadByLink},
	}
}

func (s *server) makeUploadLink(r *http.Request, in uploadLinkRequest) (access.Link, error) {
	a := askedOf(r)
	return s.Links.Upload(withBase(r).Context(), a.caller, access.UploadGrant{Workspace: a.workspace, Name: in.Name, Replace: in.Replace, Session: in.Session, For: seconds(in.ExpiresIn)})
}

func (s *server) makeDownloadLink(r *http.Request, in downloadLinkRequest) (access.Link, error) {
	if in.File == "" || in.Version < 0 {
		return access.Link{}, invalid("file", "expected a file's id or name, and a version from 1 if any")
	}
	a := askedOf(r)
	return s.Links.Download(withBase(r).Context(), a.caller, access.DownloadGrant{Workspace: a.workspace, File: in.File, Version: in.Version, For: seconds(in.ExpiresIn)})
}

// seconds is a time that cannot overflow.
func seconds(n int64) time.Duration {
	return time.Duration(max(-1, min(n, int64(linkMaxTime/time.Second)+1))) * time.Second
}

// linked gives what a request's link grants, within the limits of the token that made it.
func (s *server) linked(r *http.Request, method string) (g grant, leave func(), err error) {
	link := r.PathValue("link")
	err = s.guesses.try(r.RemoteAddr, access.Hash(link), func() error {
		g, err = s.Links.read(r.Context(), link, method)
		return err
	})
	if err == nil {
		err = s.limits.allow(g.Token)
	}
	if err != nil {
		return g, nil, err
	}
	leave, err = s.limits.enter(g.Token, false)
	return g, leave, err
}

// asked is the request with the link as its caller, for the audit: who had the link is not known.
func (g grant) asked(r *http.Request) *http.Request {
	return r.WithContext(access.With(r.Context(), access.Caller{TokenID: g.Token, Name: "link", Workspace: g.Workspace}))
}

func (s *server) downloadByLink(w http.ResponseWriter, r *http.Request) error {
	g, leave, err := s.linked(r, http.MethodGet)
	if err != nil {
		return err
	}
	defer leave()
	return s.sendFile(w, g.asked(r), g.Workspace, g.File, g.Version)
}

func (s *server) uploadByLink(w http.ResponseWriter, r *http.Request) error {
	g, leave, err := s.linked(r, http.MethodPut)
	if err != nil {
		return err
	}
	defer leave()
	r = g.asked(r)
	u := sandboxd.Upload{Name: g.Name, Replace: g.Replace, Session: g.Session}
	if r.Method == http.MethodPost {
		return s.receiveForm(w, r, g.Workspace, u)
	}
	for _, condition := range []string{"If-Match", "If-None-Match"} {
		if r.Header.Get(condition) != "" { // to ignore it would do what the client does not want
			return invalid(condition, "a link takes no conditions")
		}
	}
	if u.Name == "" {
		u.Name = textOf(r, "name")
	}
	if u.Name == "" {
		return invalid("name", "the link has no name for the file; expected one")
	}
	u.Body = s.rawBody(w, r)
	file, err := s.Host.Files(g.Workspace).Put(r.Context(), u)
	if err != nil {
		s.drain(r)
		return err
	}
	s.answerPut(w, file, true)
	return nil
}
