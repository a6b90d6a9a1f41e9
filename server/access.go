package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// guarded refuses what a browser could be tricked into sending: a Host header with a name
// that is not ours (DNS rebinding) and requests from another origin's page (CSRF).
func (s *server) guarded(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, problem.New(problem.Forbidden, "requests from pages of another origin are refused").
			WithHint("Send it from a program, or from a page of this server."))
	}))
	inner := crossOrigin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r.Host) {
			s.fail(w, r, problem.New(problem.Forbidden, "the Host header %q is not one of this server's names", r.Host).
				WithHint("Use the address that sandboxd printed, or start it with --host NAME."))
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// knownHost lets IP addresses pass: rebinding needs a name.
func (s *server) knownHost(hostport string) bool {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	name = strings.ToLower(name)
	return name == "localhost" || slices.Contains(s.Hosts, name) || net.ParseIP(name) != nil
}

// authenticated lets requests through that carry the token, or a browser's cookie. A
// token in the address is exchanged for the cookie, so that it does not stay in the
// address bar, the history and what people copy.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		header := r.Header.Get("Authorization")
		cookie, _ := r.Cookie(cookieName(r))
		switch {
		case header != "":
			scheme, token, _ := strings.Cut(header, " ")
			if strings.EqualFold(scheme, "Bearer") && s.Token != "" && equal(token, s.Token) {
				next.ServeHTTP(w, r)
				return
			}
		case query.Has("token") && safe(r.Method):
			if s.Token != "" && equal(query.Get("token"), s.Token) {
				http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: s.session, Path: "/",
					HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
				query.Del("token")
				target := *r.URL // with its RawPath, so that %2F stays what it is
				target.Scheme, target.Host, target.RawQuery = "", "", query.Encode()
				w.Header().Set("Location", target.String())
				w.WriteHeader(http.StatusSeeOther)
				return
			}
		case cookie != nil && s.Token != "" && equal(cookie.Value, s.session):
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandboxd"`)
		s.fail(w, r, problem.New(problem.Unauthorized, "this needs the server's token").
			WithHint("Send it as Authorization: Bearer TOKEN. In a browser, open the address that sandboxd printed at its start, which ends in ?token=…."))
	})
}

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// cookieName has the port, because cookies have not: two servers on one machine would
// log each other's browsers out.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "sandboxd_" + port
	}
	return "sandboxd"
}

// sessionOf is what the cookie holds instead of the token: browsers send it to whatever
// listens on another port of the same host, and the token itself must not go there.
func sessionOf(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("sandboxd browser session"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// equal compares digests, so that neither the bytes nor the length of a secret show in
// the time taken.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
