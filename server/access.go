package server

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
)

// guarded refuses what a browser could be tricked into sending: a Host header with a name
// that is not ours (DNS rebinding) and requests from another origin's page (CSRF).
func (s *server) guarded(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	for _, origin := range s.Origins {
		_ = crossOrigin.AddTrustedOrigin(origin) // CheckOrigins says what is wrong with one
	}
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

// authenticated lets requests through that carry a token, or a browser's cookie, with the
// caller in their context. A token in the address is exchanged for the cookie, so that it
// does not stay in the address bar, the history and what people copy.
func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Header.Get("Authorization") == "" && query.Has("token") && safe(r.Method) {
			token := query.Get("token")
			caller, err := s.byToken(r, token)
			if err == nil {
				err = s.limits.allow(caller.TokenID)
			}
			if err != nil {
				s.fail(w, r, err)
				return
			}
			value := access.Session(token)
			if caller.TokenID != "" {
				value = caller.TokenID + "." + value
			}
			http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: value, Path: "/",
				HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: secure(r)})
			query.Del("token")
			target := *r.URL // with its RawPath, so that %2F stays what it is
			target.Scheme, target.Host, target.RawQuery = "", "", query.Encode()
			w.Header().Set("Location", target.String())
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		caller, err := s.callerOf(r)
		if err == nil {
			err = s.limits.allow(caller.TokenID)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(access.With(r.Context(), caller)))
	})
}

// callerOf says who sends a request, by its token or else by its cookie.
func (s *server) callerOf(r *http.Request) (access.Caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return access.Caller{}, errNoToken
		}
		return s.byToken(r, token)
	}
	cookie, err := r.Cookie(cookieName(r))
	if err != nil || slices.Contains(s.Origins, r.Header.Get("Origin")) {
		// A page that is let in from elsewhere needs a token, though a browser would send our
		// cookie with its requests if it is of the same site.
		return access.Caller{}, errNoToken
	}
	return s.proven(r, cookie.Value, func() (caller access.Caller, err error) {
		id, session, stored := strings.Cut(cookie.Value, ".")
		switch {
		case stored && s.Host != nil:
			return s.Host.Tokens().CheckSession(r.Context(), id, session)
		case s.Token != "" && access.Matches(cookie.Value, s.sessionHash):
			return access.Operator(), nil
		}
		return access.Caller{}, errNoToken
	})
}

// byToken says whose token it is.
func (s *server) byToken(r *http.Request, token string) (access.Caller, error) {
	return s.proven(r, token, func() (access.Caller, error) {
		if _, stored := access.TokenID(token); stored && s.Host != nil {
			caller, err := s.Host.Tokens().Check(r.Context(), token)
			if problem.CodeOf(err) != problem.Unauthorized {
				return caller, err
			}
		}
		if s.Token != "" && access.Matches(token, s.tokenHash) {
			return access.Operator(), nil
		}
		return access.Caller{}, errNoToken
	})
}

// proven tries a credential, unless too many wrong ones came from the same address.
func (s *server) proven(r *http.Request, credential string, check func() (access.Caller, error)) (caller access.Caller, err error) {
	err = s.guesses.try(r.RemoteAddr, access.Hash(credential), func() error {
		caller, err = check()
		return err
	})
	if problem.CodeOf(err) == problem.Unauthorized {
		s.metrics.refused.Inc()
		return caller, errNoToken
	}
	return caller, err
}

var errNoToken = problem.New(problem.Unauthorized, "this needs a token of the server").
	WithHint("Send it as Authorization: Bearer TOKEN. In a browser, open the address that sandboxd printed at its start, which ends in ?token=….")

func safe(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// cookieName has the port, because cookies have not: two servers on one machine would
// log each other's browsers out.
func cookieName(r *http.Request) string {
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return "sandboxd_" + port
	}
	return "sandboxd"
}
