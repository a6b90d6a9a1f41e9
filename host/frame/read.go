package frame

import (
	"net"
	"os"
	"syscall"
)

const (
	readSize = 64 << 10
	// keepSize is the largest buffer that is kept for the next frame.
	keepSize = 1 << 20
)

// reader takes frames, and the descriptors that came with them, off a socket.
type reader struct {
	conn     *net.UnixConn
	max      int // bytes of a frame
	maxFiles int // descriptors of a frame
	buf      []byte
	start    int
	end      int
	files    []*os.File // received and not yet claimed by a frame
	control  []byte
}

func newReader(conn *net.UnixConn, max, maxFiles int) *reader {
	r := &reader{conn: conn, max: max, maxFiles: maxFiles, buf: make([]byte, readSize)}
	if maxFiles > 0 {
		r.control = make([]byte, syscall.CmsgSpace(4*maxFiles))
	}
	return r
}

// next waits for the next frame. The message is valid until the next call; the files are
// the caller's to close.
func (r *reader) next() (message, []*os.File, error) {
	for {
		m, size, err := parse(r.buf[r.start:r.end], r.max)
		if err != nil {
			return m, nil, err
		}
		if size > 0 {
			r.start += size
			files, err := r.claim(m.files)
			return m, files, err
		}
		if err := r.fill(); err != nil {
			return m, nil, err
		}
	}
}

// fill reads what is there. The buffer grows with what arrived, never with what a length promises.
func (r *reader) fill() error {
	switch {
	case r.start == r.end:
		r.start, r.end = 0, 0
		if len(r.buf) > keepSize {
			r.buf = make([]byte, readSize)
		}
	case r.end == len(r.buf) && r.start > 0:
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, min(2*len(r.buf), r.max))
		copy(grown, r.buf)
		r.buf = grown
	}
	// The control buffer is as large as one frame's descriptors; the kernel closes what
	// does not fit and says so.
	n, controlled, flags, _, err := r.conn.ReadMsgUnix(r.buf[r.end:], r.control)
	if controlled > 0 {
		if err := r.receive(r.control[:controlled]); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if flags&syscall.MSG_CTRUNC != 0 {
		return violation("more descriptors came than the %d allowed with a frame", r.maxFiles)
	}
	if n == 0 {
		return net.ErrClosed
	}
	r.end += n
	return nil
}

// receive takes descriptors out of a control message.
func (r *reader) receive(control []byte) error {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return violation("a control message that does not parse")
	}
	for i := range messages {
		fds, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return violation("a control message that carries no descriptors")
		}
		for _, fd := range fds {
			r.files = append(r.files, os.NewFile(uintptr(fd), "received"))
		}
	}
	// One read ends after the first message that carries descriptors, so they are those of
	// the frame at the head of the buffer and of the one that begins behind it.
	if len(r.files) > 2*r.maxFiles {
		return violation("%d descriptors wait for a frame that claims them", len(r.files))
	}
	return nil
}

// claim hands out the n descriptors that a frame says it carries.
func (r *reader) claim(n int) ([]*os.File, error) {
	if n > len(r.files) {
		return nil, violation("a frame says that it carries %d descriptors and %d came", n, len(r.files))
	}
	if n == 0 {
		if r.start == r.end && len(r.files) > 0 {
			return nil, violation("%d descriptors came that no frame claims", len(r.files))
		}
		return nil, nil
	}
	files := r.files[:n:n]
	r.files = r.files[n:]
	if len(r.files) == 0 {
		r.files = nil
	}
	return files, nil
}

// close closes descriptors that nobody claimed.
func (r *reader) close() {
	closeAll(r.files)
	r.files = nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
