package server

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/sandboxd/sandboxd/problem"
)

// throttle keeps each token within its rate and its number of requests and streams at once.
type throttle struct {
	rate     rate.Limit
	burst    int
	requests int
	streams  int

	mu     sync.Mutex
	tokens map[string]*spending
}

type spending struct {
	rate              *rate.Limiter
	requests, streams int
}

// of gives what a token has spent. Tokens are few: their number is what the operator made.
func (t *throttle) of(token string) *spending {
	s := t.tokens[token]
	if s == nil {
		s = &spending{rate: rate.NewLimiter(t.rate, t.burst)}
		t.tokens[token] = s
	}
	return s
}

// allow counts one request of a token, or answers busy and when to come back.
func (t *throttle) allow(token string) error {
	t.mu.Lock()
	limiter := t.of(token).rate
	t.mu.Unlock()
	reserved := limiter.Reserve()
	if delay := reserved.Delay(); delay > 0 {
		reserved.Cancel()
		return busy(delay, "the token sends more than %.0f requests a second", float64(t.rate))
	}
	return nil
}

// enter counts a request that is under way, until leave is called.
func (t *throttle) enter(token string, stream bool) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of(token)
	count, most, what := &s.requests, t.requests, "requests under way"
	if stream {
		count, most, what = &s.streams, t.streams, "event streams open"
	}
	if *count >= most {
		return nil, busy(time.Second, "the token has %d %s, which is the most", most, what)
	}
	*count++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		*count--
	}, nil
}

// busy is refused for now; fail says Retry-After.
func busy(after time.Duration, format string, args ...any) error {
	return problem.New(problem.Busy, format, args...).With(retryAfter, int64((after+time.Second-1)/time.Second))
}

// retryAfter is the detail of a busy that says when to come back, in seconds.
const retryAfter = "retry_after_s"

// guesses bounds how many tokens are tried from one address. Once it tried too many wrong
// ones, only those that were good there before are even looked at: a right guess would
// otherwise be as quick to find as without a bound, and everybody who works from the same
// address would be shut out with the guesser.
type guesses struct {
	every     time.Duration // in which one wrong token is forgiven
	mu        sync.Mutex
	addresses map[netip.Prefix]*guesser
}

type guesser struct {
	wrong *rate.Limiter
	good  map[string]time.Time // digests of what was right, and when it was used last
	seen  time.Time
}

const (
	wrongEvery     = 2 * time.Second // one wrong token is forgiven
	wrongBurst     = 30              // wrong tokens in a row
	addressesKnown = 10_000
	goodKnown      = 100 // of an address
)

// try checks a credential that came from an address: with check, if the address may still
// try. digest stands for the credential without being it.
func (g *guesses) try(remote, digest string, check func() error) error {
	from := network(remote)
	g.mu.Lock()
	a := g.addresses[from]
	if a != nil {
		a.seen = time.Now()
		if _, good := a.good[digest]; !good && a.wrong.Tokens() < 1 {
			g.mu.Unlock()
			return busy(g.every, "too many wrong tokens came from this address")
		}
	}
	g.mu.Unlock()
	err := check()
	if code := problem.CodeOf(err); err != nil && code != problem.Unauthorized {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if a = g.addresses[from]; a == nil {
		g.forget()
		a = &guesser{wrong: rate.NewLimiter(rate.Every(g.every), wrongBurst), good: map[string]time.Time{}, seen: time.Now()}
		g.addresses[from] = a
	}
	if _, good := a.good[digest]; err != nil {
		if !good { // one that was good is revoked or expired by now, and no guess
			a.wrong.Allow()
		}
		return err
	} else if !good && len(a.good) >= goodKnown {
		a.forgetOldest()
	}
	a.good[digest] = time.Now()
	return nil
}

// forgetOldest makes room: links are used once, and tokens are replaced.
func (a *guesser) forgetOldest() {
	oldest, used := "", time.Now()
	for digest, at := range a.good {
		if !at.After(used) {
			oldest, used = digest, at
		}
	}
	delete(a.good, oldest)
}

// forget makes room: addresses that did nothing wrong lately lose nothing by it.
func (g *guesses) forget() {
	if len(g.addresses) < addressesKnown {
		return
	}
	for from, a := range g.addresses {
		if a.wrong.Tokens() >= wrongBurst {
			delete(g.addresses, from)
		}
	}
	for from := range g.addresses { // all of them guess
		if len(g.addresses) < addressesKnown {
			return
		}
		delete(g.addresses, from)
	}
}

// network is the address without its port; of IPv6 the part that one subscriber has.
func network(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, _ := netip.ParseAddr(host)
	ip = ip.Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	from, _ := ip.Prefix(bits)
	return from
}
