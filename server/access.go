package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// guarded refuses what a browser could be tricked into sending: a Host header that is
// not ours (DNS rebinding) and requests from another origin's page (CSRF). It also says
// that nothing we answer is to be guessed at, framed or kept.
func (s *server) guarded(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, problem.New(problem.Forbidden, "requests from pages of another origin are refused"))
	}))
	inner := crossOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if !s.knownHost(r.Host) {
			s.fail(w, r, problem.New(problem.Forbidden, "the Host header %q is not one of this server's names", r.Host).
				WithHint("Use the address that sandboxd printed, or add the name with --host."))
			return
		}
		inner.ServeHTTP(w, r)
	})
}

func (s *server) knownHost(hostport string) bool {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = hostport
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if name == "localhost" || slices.Contains(s.Hosts, name) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

const sessionCookie = "sandboxd_token"

// authenticated lets requests through that carry the token: in the Authorization header,
// or, for a browser, once in the address, from where it moves into a cookie.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.tokenIs(token) {
			next.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodGet && s.tokenIs(r.URL.Query().Get("token")) {
			http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: s.Token, Path: "/",
				HttpOnly: true, SameSite: http.SameSiteStrictMode})
			next.ServeHTTP(w, r)
			return
		}
		if cookie, err := r.Cookie(sessionCookie); err == nil && s.tokenIs(cookie.Value) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandboxd"`)
		s.fail(w, r, problem.New(problem.Unauthorized, "this needs the server's token"))
	})
}

// tokenIs compares digests, so that neither the token's bytes nor its length show in the time taken.
func (s *server) tokenIs(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.Token))
	return s.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
