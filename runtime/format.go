package runtime

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// format writes the arguments of console.log, with the specifiers %s %d %i %f %j %o %O %c.
// It throws nothing: a console that fails would hide what it was to show.
func (i *isolate) format(args []goja.Value) (text string) {
	if i.vm.Try(func() { text = i.formatted(args) }) != nil {
		return "[a value that cannot be shown]"
	}
	return text
}

func (i *isolate) formatted(args []goja.Value) string {
	var parts []string
	rest := args
	if len(args) > 1 && kindOf(args[0]) == kindString && strings.Contains(args[0].String(), "%") {
		var text string
		text, rest = i.fill(args[0].String(), args[1:])
		parts = append(parts, text)
	}
	for _, v := range rest {
		if s, ok := v.(goja.String); ok {
			parts = append(parts, i.shown(s))
		} else {
			parts = append(parts, i.inspect(v))
		}
	}
	return strings.Join(parts, " ")
}

// shown is a string's text, as far as the console could hold it.
func (i *isolate) shown(s goja.String) string {
	if limit := i.cfg.Limits.ConsoleBytes + 1; int64(s.Length()) > limit {
		s = s.Substring(0, int(limit))
	}
	return s.String()
}

func (i *isolate) fill(pattern string, args []goja.Value) (string, []goja.Value) {
	var b strings.Builder
	for at := 0; at < len(pattern); at++ {
		if pattern[at] != '%' || at+1 == len(pattern) {
			b.WriteByte(pattern[at])
			continue
		}
		at++
		verb := pattern[at]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if !strings.ContainsRune("sdifjoOc", rune(verb)) || len(args) == 0 {
			b.WriteByte('%')
			b.WriteByte(verb)
			continue
		}
		b.WriteString(i.filled(verb, args[0]))
		args = args[1:]
	}
	return b.String(), args
}

func (i *isolate) filled(verb byte, v goja.Value) string {
	k := kindOf(v)
	switch verb {
	case 's':
		if s, ok := v.(goja.String); ok {
			return i.shown(s)
		}
	case 'd', 'i', 'f':
		if k == kindSymbol || k == kindObject || k == kindArray {
			return "NaN"
		}
		n := v.ToNumber()
		if verb == 'i' && !goja.IsNaN(n) && !goja.IsInfinity(n) && k != kindBigInt {
			return strconv.FormatInt(n.ToInteger(), 10)
		}
		return i.inspect(n)
	case 'j':
		e := &encoder{i: i, max: inspectBudget}
		text := "undefined"
		func() {
			defer func() {
				if recover() != nil {
					text = i.inspect(v)
				}
			}()
			if e.value(v, "") {
				text = string(e.out)
			}
		}()
		return text
	case 'c':
		return ""
	}
	return i.inspect(v)
}
