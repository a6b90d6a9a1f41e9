package server

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// bounded is a listener with a number of connections at a time. Where there are as many, the
// one that has been idle longest ends for the next; where none is idle, the next one waits.
// Connections stay what net/http sends files through within the kernel, which those of
// netutil.LimitListener do not.
type bounded struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	idle  *list.List // of net.Conn, the longest idle first
	where map[net.Conn]*list.Element
	short bool // somebody waits for a place
}

func bound(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{}), idle: list.New(), where: map[net.Conn]*list.Element{}}
}

// state is the server's ConnState.
func (b *bounded) state(conn net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.where[conn]; at != nil {
		b.idle.Remove(at)
		delete(b.where, conn)
	}
	if state == http.StateIdle {
		b.where[conn] = b.idle.PushBack(conn)
		b.makeRoom()
	}
}

// makeRoom ends the connection that has been idle longest if somebody waits for its place.
func (b *bounded) makeRoom() {
	at := b.idle.Front()
	if !b.short || at == nil {
		return
	}
	conn := b.idle.Remove(at).(net.Conn)
	delete(b.where, conn)
	b.short = false
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn() // its own Close says goodbye, which takes as long as the client likes
	}
	_ = conn.Close()
}

// wait says that somebody waits for a place, or does no more.
func (b *bounded) wait(waits bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.short = waits
	b.makeRoom()
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case b.places <- struct{}{}:
	default:
		b.wait(true)
		select {
		case b.places <- struct{}{}:
			b.wait(false)
		case <-b.closed:
			conn.Close()
			return nil, net.ErrClosed
		}
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
