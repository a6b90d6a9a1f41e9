package fetch

import (
	"net"
	"testing"
)

// Addresses that must never be dialled, by the reason, and some that may be.
func TestAddresses(t *testing.T) {
	g, err := newGuard(nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"0.0.0.0": "this host", "0.1.2.3": "this network", "::": "unspecified",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "fc00::1": "private", "fd12:3456::1": "private",
		"169.254.169.254": "metadata", "169.254.0.1": "link-local", "fe80::1": "link-local", "fe80::1%eth0": "link-local with zone", "fd00:ec2::254": "metadata",
		"100.64.0.1": "carrier NAT", "100.100.100.200": "metadata", "192.0.0.192": "metadata", "168.63.129.16": "metadata",
		"224.0.0.1": "multicast", "239.255.255.250": "multicast", "ff02::1": "multicast", "255.255.255.255": "broadcast", "240.0.0.1": "reserved",
		"192.0.2.1": "documentation", "198.51.100.1": "documentation", "203.0.113.1": "documentation", "2001:db8::1": "documentation", "198.18.0.1": "benchmark",
		"::ffff:127.0.0.1": "mapped", "::ffff:10.0.0.1": "mapped", "::ffff:8.8.8.8": "mapped", "::127.0.0.1": "compatible",
		"64:ff9b::7f00:1": "NAT64", "64:ff9b::a00:1": "NAT64", "64:ff9b:1::1": "local NAT64",
		"2002:7f00:1::": "6to4", "2002:a00:1::": "6to4", "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo", "fec0::1": "site-local", "100::1": "discard",
	}
	for addr, why := range refused {
		network := "tcp4"
		if net.ParseIP(addr).To4() == nil || addr[0] == ':' {
			network = "tcp6"
		}
		if g.control(network, net.JoinHostPort(addr, "80"), nil) == nil {
			t.Errorf("%s (%s) was let through", addr, why)
		}
	}
	for _, addr := range []string{"8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111"} {
		network := "tcp4"
		if net.ParseIP(addr).To4() == nil {
			network = "tcp6"
		}
		if err := g.control(network, net.JoinHostPort(addr, "8443"), nil); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, network := range []string{"udp4", "unix", "ip4"} {
		if g.control(network, "8.8.8.8:80", nil) == nil {
			t.Errorf("%s was let through", network)
		}
	}
}
