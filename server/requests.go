package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/audit"
)

// requestID is the header with the id of a request: the client's own, if it sent one, or a
// new one. It is in the log, in the audit and in the answer.
const requestID = "X-Request-Id"

// told says in the context of a request where it came from, and logs what became of it.
// Nothing in front of it may answer.
func (s *server) told(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		if s.fromProxy(r) {
			r = r.WithContext(context.WithValue(r.Context(), forwardedKey{}, forwardedSecurely(r)))
		}
		r.RemoteAddr = s.client(r)
		origin := audit.Origin{Via: audit.HTTP, Address: addressOf(r.RemoteAddr), RequestID: r.Header.Get(requestID)}
		if r.URL.Path == "/mcp" {
			origin.Via = audit.MCP
		}
		if !goodID(origin.RequestID) {
			origin.RequestID = strings.ToLower(rand.Text()[:16])
		}
		w.Header().Set(requestID, origin.RequestID)
		r = r.WithContext(audit.With(r.Context(), origin))
		seen := &observed{ResponseWriter: w}
		defer func() {
			level := slog.LevelInfo
			if probe(r.URL.Path) {
				level = slog.LevelDebug
			}
			if s.Log.Enabled(r.Context(), level) {
				s.Log.LogAttrs(r.Context(), level, "request", slog.String("method", r.Method), slog.String("path", pathOf(r)), slog.Int("status", max(seen.status, http.StatusOK)),
					slog.Int64("bytes", seen.bytes), slog.Duration("took", time.Since(began)), slog.String("client", origin.Address))
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// probe is what is asked every few seconds, by machines.
func probe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

// pathOf leaves out what opens something.
func pathOf(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/api/signed/") {
		return "/api/signed/…"
	}
	return clip(r.URL.Path)
}

// goodID keeps out of the log what is not an id.
func goodID(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	})
}

// client is who sent a request: the other end of the connection, or if that is a proxy of
// ours, the last address that the proxies vouch for.
func (s *server) client(r *http.Request) string {
	if !s.fromProxy(r) {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		if !s.proxied(hop) {
			return net.JoinHostPort(hop, "0")
		}
	}
	return r.RemoteAddr
}

// fromProxy tells whether the other end of the connection is a proxy of ours.
func (s *server) fromProxy(r *http.Request) bool {
	return len(s.Proxies) > 0 && s.proxied(addressOf(r.RemoteAddr))
}

type forwardedKey struct{}

// forwardedSecurely tells whether a proxy says that it got a request over TLS.
func forwardedSecurely(r *http.Request) bool {
	scheme, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return strings.EqualFold(strings.TrimSpace(scheme), "https")
}

// secure tells whether a client speaks TLS, with the server or with a proxy of ours.
func secure(r *http.Request) bool {
	forwarded, _ := r.Context().Value(forwardedKey{}).(bool)
	return r.TLS != nil || forwarded
}

func (s *server) proxied(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

func addressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}
