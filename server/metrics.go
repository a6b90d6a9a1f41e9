package server

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
)

// metrics are what an operator watches, in a set of this server's own. The library is one
// without protobuf, which every worker would load at its start: workers are this program.
type metrics struct {
	set      *vm.Set
	underWay atomic.Int64
	received *vm.Counter
	sent     *vm.Counter
	refused  *vm.Counter
	dropped  *vm.Counter
}

func newMetrics(host *sandboxd.Host) *metrics {
	set := vm.NewSet()
	m := &metrics{set: set,
		received: set.NewCounter("sandboxd_upload_bytes_total"),
		sent:     set.NewCounter("sandboxd_download_bytes_total"),
		refused:  set.NewCounter("sandboxd_unauthorized_total"),
		dropped:  set.NewCounter("sandboxd_event_streams_dropped_total"),
	}
	set.NewGauge("sandboxd_http_requests_in_flight", func() float64 { return float64(m.underWay.Load()) })
	set.NewGauge("sandboxd_event_streams", func() float64 {
		if host == nil {
			return 0
		}
		return float64(host.Events().Followers())
	})
	return m
}

// showMetrics is for who may see all workspaces, which is what the figures are of.
func (s *server) showMetrics(w http.ResponseWriter, r *http.Request) error {
	if askedOf(r).caller.Workspace != access.Everywhere {
		return problem.New(problem.Forbidden, "the figures are of the whole server; the token is for one workspace")
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s.metrics.set.WritePrometheus(w)
	vm.WriteProcessMetrics(w)
	vm.WriteFDMetrics(w)
	return nil
}

// counted counts the requests of a route, and how long they took.
func (m *metrics) counted(route string, next http.Handler) http.Handler {
	took := m.histogram("sandboxd_http_request_duration_seconds", route)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.underWay.Add(1)
		defer m.underWay.Add(-1)
		start := time.Now()
		seen := &observed{ResponseWriter: w}
		named(r, route)
		defer func() {
			took(time.Since(start).Seconds())
			m.set.GetOrCreateCounter(fmt.Sprintf("sandboxd_http_requests_total{route=%q, status=\"%d\"}", route, max(seen.status, http.StatusOK))).Inc()
		}()
		next.ServeHTTP(seen, r)
	})
}

// buckets are the upper bounds of the durations that are counted together, in seconds.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, math.Inf(1)}

// histogram is one in the form that Prometheus reads; the library's own buckets are not.
func (m *metrics) histogram(name, route string) (observe func(float64)) {
	counts := make([]*vm.Counter, len(buckets))
	for i, le := range buckets {
		counts[i] = m.set.NewCounter(fmt.Sprintf("%s_bucket{route=%q, le=\"%v\"}", name, route, le))
	}
	sum := m.set.NewFloatCounter(fmt.Sprintf("%s_sum{route=%q}", name, route))
	count := m.set.NewCounter(fmt.Sprintf("%s_count{route=%q}", name, route))
	return func(seconds float64) {
		for i, le := range buckets {
			if seconds <= le {
				counts[i].Inc()
			}
		}
		sum.Add(seconds)
		count.Inc()
	}
}

// observed remembers the status of an answer, and how long it was.
type observed struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Write implements http.ResponseWriter.
func (o *observed) Write(p []byte) (int, error) {
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	return n, err
}

func (o *observed) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// ReadFrom implements io.ReaderFrom, so that files go the short way.
func (o *observed) ReadFrom(src io.Reader) (int64, error) {
	n, err := io.Copy(o.ResponseWriter, src)
	o.bytes += n
	return n, err
}

// Flush implements http.Flusher, which the MCP SDK asks for.
func (o *observed) Flush() { _ = http.NewResponseController(o.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }
