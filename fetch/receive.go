package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/sandboxd/sandboxd/problem"
)

var (
	errTooLong   = errors.New("the download took too long")
	errTooSlow   = errors.New("the download is too slow")
	errTooLarge  = errors.New("the download is too large")
	errRedirects = errors.New("there are too many redirects")
	errScheme    = errors.New("a redirect leads to no http or https address")
)

// dstError is what the destination answered, as opposed to the network.
type dstError struct{ error }

func (e dstError) Unwrap() error { return e.error }

// checkRedirect looks at where a redirect leads; the address behind the name is checked
// when it is dialled, as the first one was.
func (c *Client) checkRedirect(request *http.Request, via []*http.Request) error {
	if len(via) > c.config.Redirects {
		return errRedirects
	}
	if u := request.URL; u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return errScheme
	}
	request.Header.Del("Referer") // it may hold what was for the first host only
	return nil
}

// receive copies the body as long as it is small enough and comes fast enough.
func (c *Client) receive(body io.Reader, dst io.Writer, max int64, abort context.CancelCauseFunc) (size int64, err error) {
	watch := time.AfterFunc(c.config.RateWindow, func() { abort(errTooSlow) })
	defer watch.Stop()
	buf := make([]byte, 64<<10)
	due := c.config.MinRate // the size at which the next window begins
	for {
		n, err := body.Read(buf)
		if size += int64(n); size > max {
			return size, errTooLarge
		}
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return size, dstError{err}
			}
		}
		if size >= due && watch.Stop() {
			due = size + c.config.MinRate
			watch.Reset(c.config.RateWindow)
		}
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

// explain turns what went wrong into what a script may read: no Go error text, and no
// address that a name resolved to.
func (c *Client) explain(caller, ctx context.Context, target *url.URL, max int64, err error) error {
	var own *problem.Error
	var fromDst dstError
	if errors.As(err, &fromDst) {
		return fromDst.error
	}
	if errors.As(err, &own) {
		return own
	}
	if caller.Err() != nil {
		return problem.From(caller.Err())
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) { // the address of the failing hop
		if u, bad := url.Parse(wrapped.URL); bad == nil {
			target = u
		}
	}
	if errors.Is(err, errTooLarge) {
		return tooLarge(shown(target), max)
	}
	reason, hint := c.reason(ctx, err)
	e := problem.New(problem.FetchFailed, "%s: %s", shown(target), reason).WithCause(err)
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}

func (c *Client) reason(ctx context.Context, err error) (reason, hint string) {
	var timeout net.Error
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return "its host has no public address", "Only public addresses can be fetched; the operator may allow others."
	case errors.Is(err, errRedirects):
		return "it redirects more than " + strconv.Itoa(max(c.config.Redirects, 0)) + " times", "Use the address where the redirects end."
	case errors.Is(err, errScheme):
		return "it redirects to something that is not a plain http or https address", ""
	case errors.Is(context.Cause(ctx), errTooLong):
		return "it took longer than " + c.config.Timeout.String(), "Try again, or use a faster or smaller source."
	case errors.Is(context.Cause(ctx), errTooSlow):
		return "it came too slowly", "Try again, or use a faster source."
	case errors.As(err, &name):
		return "its host name has no address", "Check the spelling of the host name."
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record):
		return "no secure connection was possible; its certificate may be invalid", ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return "its host refuses the connection", ""
	case errors.As(err, &timeout) && timeout.Timeout():
		return "its host did not answer in time", "Try again in a moment."
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer ended early", "Try again in a moment."
	}
	return "the connection failed", "Try again in a moment."
}
