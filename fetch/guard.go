package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// guard decides which addresses may be dialled: public unicast ones by the registries of
// special-purpose addresses (IANA), and those that were allowed by name.
type guard struct {
	public   *ssrf.Guardian
	prefixes []netip.Prefix
	exact    map[netip.AddrPort]bool
	hosts    map[string]bool // "name" or "name:port", lower case
}

// azureHost is a public address that on Azure's machines is the host's own service, with
// the machine's settings and certificates.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

func newGuard(allow []string) (*guard, error) {
	public := ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azureHost))
	g := &guard{public: public, exact: map[netip.AddrPort]bool{}, hosts: map[string]bool{}}
	for _, entry := range allow {
		if err := g.allow(entry); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *guard) allow(entry string) error {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		g.prefixes = append(g.prefixes, prefix.Masked())
		return nil
	}
	if addr, err := netip.ParseAddr(entry); err == nil {
		addr = addr.Unmap().WithZone("")
		g.prefixes = append(g.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	if ap, err := netip.ParseAddrPort(entry); err == nil {
		g.exact[netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())] = true
		return nil
	}
	host, port, err := net.SplitHostPort(entry)
	if err != nil {
		host, port = entry, ""
	}
	if host == "" || strings.ContainsAny(host+port, " /:*@") {
		return fmt.Errorf("allowed address %q is no address, network or host name", entry)
	}
	if port != "" {
		host += ":" + port
	}
	g.hosts[canonical(host)] = true
	return nil
}

// dial dials through the guard. Names are resolved by the dialer itself, and the check
// comes after that: what was checked is what is connected to.
func (g *guard) dial(dialer *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	guarded, free := *dialer, *dialer
	guarded.Control = g.control
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if g.allowsHost(address) {
			return free.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

func (g *guard) allowsHost(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (g.hosts[canonical(host)] || g.hosts[canonical(address)])
}

// control is called with the address that is about to be connected to.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s", ssrf.ErrProhibitedNetwork, network)
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ssrf.ErrInvalidHostPort, address)
	}
	if g.allowsAddress(target) {
		return nil
	}
	return g.public.SafeAddrPort(target)
}

func (g *guard) allowsAddress(target netip.AddrPort) bool {
	addr := target.Addr().Unmap()
	if g.exact[netip.AddrPortFrom(addr, target.Port())] {
		return true
	}
	for _, prefix := range g.prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }
