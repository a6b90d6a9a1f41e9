package worker

import (
	"io"
	"sync"
)

const (
	stderrHead = 16 << 10 // where Go says what the fatal error was
	stderrTail = 16 << 10
)

// stderr keeps the beginning and the end of what a child writes; the rest is read and
// dropped, so that a child that floods is not held up and fills nothing.
type stderr struct {
	mu   sync.Mutex
	head []byte
	tail []byte
}

// readFrom reads until the child's end is closed.
func (s *stderr) readFrom(r io.Reader) {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		s.add(buf[:n])
		if err != nil {
			return
		}
	}
}

func (s *stderr) add(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), stderrHead-len(s.head))
	s.head = append(s.head, p[:n]...)
	s.tail = append(s.tail, p[n:]...)
	if over := len(s.tail) - stderrTail; over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.head) + string(s.tail)
}
