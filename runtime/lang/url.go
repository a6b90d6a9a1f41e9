package lang

import (
	"strings"

	"github.com/dop251/goja"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/encoding/unicode"
)

var urlShell = shell("url")

// makeURL gives URL and URLSearchParams of https://url.spec.whatwg.org/.
func makeURL(member string) func(*realm) goja.Value {
	return func(r *realm) goja.Value {
		return r.once("url", member, func() *goja.Object {
			return r.run(urlShell(), r.bag(map[string]any{
				"parse":     r.parseURL,
				"get":       r.urlPart,
				"set":       r.setURLPart,
				"readForm":  r.readForm,
				"writeForm": r.writeForm,
			}))
		})
	}
}

// parsedURL is what the private field of a URL holds.
type parsedURL struct{ url *whatwg.Url }

// parseURL(input, base?) answers a handle, or null if it is not a URL.
func (r *realm) parseURL(call goja.FunctionCall) goja.Value {
	var parsed *whatwg.Url
	var err error
	if base := call.Argument(1); goja.IsUndefined(base) {
		parsed, err = whatwg.Parse(call.Argument(0).String())
	} else {
		parsed, err = whatwg.ParseRef(base.String(), call.Argument(0).String())
	}
	if err != nil {
		return goja.Null()
	}
	return r.vm.ToValue(&parsedURL{parsed})
}

func (r *realm) urlPart(call goja.FunctionCall) goja.Value {
	u := call.Argument(0).Export().(*parsedURL).url
	var part string
	switch call.Argument(1).String() {
	case "href":
		part = u.Href(false)
	case "origin":
		part = origin(u)
	case "protocol":
		part = u.Protocol()
	case "username":
		part = u.Username()
	case "password":
		part = u.Password()
	case "host":
		part = u.Host()
	case "hostname":
		part = u.Hostname()
	case "port":
		part = u.Port()
	case "pathname":
		part = u.Pathname()
	case "search":
		part = u.Search()
	case "hash":
		part = u.Hash()
	}
	return r.vm.ToValue(part)
}

// origin is the serialisation of https://url.spec.whatwg.org/#concept-url-origin.
func origin(u *whatwg.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		if inner, err := whatwg.Parse(u.Pathname()); err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}

// setURLPart(handle, part, value): a value that does not fit leaves the part as it was.
func (r *realm) setURLPart(call goja.FunctionCall) goja.Value {
	u := call.Argument(0).Export().(*parsedURL).url
	value := call.Argument(2).String()
	switch call.Argument(1).String() {
	case "protocol":
		u.SetProtocol(value)
	case "username":
		u.SetUsername(value)
	case "password":
		u.SetPassword(value)
	case "host":
		u.SetHost(value)
	case "hostname":
		u.SetHostname(value)
	case "port":
		u.SetPort(value)
	case "pathname":
		u.SetPathname(value)
	case "search":
		u.SetSearch(value)
	case "hash":
		u.SetHash(value)
	}
	return goja.Undefined()
}

// readForm parses application/x-www-form-urlencoded into an array of names and values in
// turn.
func (r *realm) readForm(call goja.FunctionCall) goja.Value {
	var list []any
	for _, pair := range strings.Split(call.Argument(0).String(), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, formDecode(name), formDecode(value))
	}
	return r.vm.NewArray(list...)
}

func formDecode(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			out = append(out, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	text, err := unicode.UTF8.NewDecoder().Bytes(out)
	if err != nil {
		return string(out)
	}
	return string(text)
}

func unhex(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b - 'a' + 10)
	case b >= 'A' && b <= 'F':
		return int(b - 'A' + 10)
	}
	return -1
}

// writeForm serialises an array of names and values in turn.
func (r *realm) writeForm(call goja.FunctionCall) goja.Value {
	list := call.Argument(0).(*goja.Object)
	n := int(list.Get("length").ToInteger())
	var out strings.Builder
	for i := range n {
		switch {
		case i%2 == 1:
			out.WriteByte('=')
		case i > 0:
			out.WriteByte('&')
		}
		formEncode(&out, r.element(list, i).String())
	}
	return r.vm.ToValue(out.String())
}

func formEncode(out *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		switch b := s[i]; {
		case b >= '0' && b <= '9', b >= 'A' && b <= 'Z', b >= 'a' && b <= 'z', b == '*', b == '-', b == '.', b == '_':
			out.WriteByte(b)
		case b == ' ':
			out.WriteByte('+')
		default:
			out.WriteByte('%')
			out.WriteByte(hex[b>>4])
			out.WriteByte(hex[b&15])
		}
	}
}
