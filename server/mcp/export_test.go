package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// WithFixtures is a Config whose server offers what a conformance suite wants to meet in
// addition. It is in the test binary alone.
func WithFixtures(c Config, extend func(*sdk.Server)) Config {
	c.extend = extend
	return c
}

// SessionCount is how many HTTP sessions there are.
func (s *Server) SessionCount() int {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return len(s.sessions.byID)
}

// ForgetSessions leaves the server as one that was just started.
func (s *Server) ForgetSessions() {
	s.sessions.mu.Lock()
	all := s.sessions.byID
	s.sessions.byID = map[string]*session{}
	s.sessions.mu.Unlock()
	for _, n := range all {
		s.sessions.end(n)
	}
}
