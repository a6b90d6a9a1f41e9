package server

import (
	"net"
	"sync"
)

// bounded is a listener with a number of connections at a time; more wait to be accepted.
// Its connections stay what net/http sends files through within the kernel, which those of
// netutil.LimitListener do not.
type bounded struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func bound(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	leave := sync.OnceFunc(func() { <-b.places })
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &boundedTCP{tcp, leave}, nil
	}
	return &boundedConn{conn, leave}, nil
}

// Close implements net.Listener.
func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

type boundedTCP struct {
	*net.TCPConn
	leave func()
}

func (c *boundedTCP) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}

type boundedConn struct {
	net.Conn
	leave func()
}

func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
