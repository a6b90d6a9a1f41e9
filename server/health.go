package server

import (
	"net/http"

	"github.com/sandboxd/sandboxd/problem"
)

type healthy struct {
	OK bool `json:"ok"`
}

func (s *server) health(*http.Request) (healthy, error) { return healthy{true}, nil }

// ready is false from the moment that the server stops, so that a balancer sends no more.
func (s *server) ready(r *http.Request) (healthy, error) {
	select {
	case <-s.stopping:
		return healthy{}, problem.New(problem.Busy, "the server is stopping")
	default:
	}
	if err := s.Host.Ready(r.Context()); err != nil {
		return healthy{}, problem.New(problem.Busy, "the host does not take work").WithCause(err)
	}
	return healthy{true}, nil
}
