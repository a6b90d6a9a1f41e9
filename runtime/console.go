package runtime

import (
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/host"
)

// console captures what a script writes, in order, up to Limits.ConsoleBytes.
type console struct {
	i      *isolate
	start  time.Time
	lines  []host.LogLine
	bytes  int64
	full   bool
	indent string
	counts map[string]int
	timers map[string]time.Time
}

func newConsole(i *isolate) *console {
	return &console{i: i, start: time.Now(), lines: []host.LogLine{}, counts: map[string]int{}, timers: map[string]time.Time{}}
}

// lineEnd counts as output too, or empty lines would cost nothing.
const lineEnd = 1

// write adds a line, or one marker in place of everything that is too much.
func (c *console) write(level, text string) {
	if c.full {
		return
	}
	if c.indent != "" {
		text = c.indent + strings.ReplaceAll(text, "\n", "\n"+c.indent)
	}
	limit := c.i.cfg.Limits.ConsoleBytes
	if left := limit - c.bytes - lineEnd; int64(len(text)) > left {
		if left > 0 {
			c.add(level, cutText(text, int(left)))
		}
		c.full = true
		c.add("warn", fmt.Sprintf("… console output was cut here: more than %s", sizeText(limit)))
		return
	}
	c.add(level, text)
}

func (c *console) add(level, text string) {
	c.bytes += int64(len(text)) + lineEnd
	line := host.LogLine{Level: level, Text: text, TimeMs: float64(time.Since(c.start).Microseconds()) / 1000}
	c.lines = append(c.lines, line)
	if c.i.cfg.Log != nil {
		c.i.cfg.Log(line)
	}
}

// cutText cuts at a rune's border.
func cutText(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }

// object is the global console.
func (c *console) object() goja.Value {
	object := c.i.vm.NewObject()
	method := func(name string, fn func(args []goja.Value)) {
		c.i.define(object, name, c.i.function(name, func(call goja.FunctionCall) goja.Value {
			if !c.full {
				fn(call.Arguments)
			}
			return goja.Undefined()
		}), goja.FLAG_TRUE)
	}
	for name, level := range map[string]string{"log": "log", "info": "info", "warn": "warn", "error": "error", "debug": "debug"} {
		method(name, func(args []goja.Value) { c.write(level, c.i.format(args)) })
	}
	method("trace", func(args []goja.Value) {
		text := strings.TrimSuffix("Trace: "+c.i.format(args), ": ")
		for _, f := range c.i.frames(c.i.vm.CaptureCallStack(0, nil)) {
			if f.file != "" {
				text += "\n" + f.String()
			}
		}
		c.write("debug", text)
	})
	method("dir", func(args []goja.Value) { c.write("log", c.i.inspect(first(args))) })
	method("dirxml", func(args []goja.Value) { c.write("log", c.i.format(args)) })
	method("table", func(args []goja.Value) { c.write("log", c.i.table(first(args))) })
	method("assert", func(args []goja.Value) {
		switch {
		case len(args) > 0 && args[0].ToBoolean():
		case len(args) > 1:
			c.write("error", "Assertion failed: "+c.i.format(args[1:]))
		default:
			c.write("error", "Assertion failed")
		}
	})
	method("count", func(args []goja.Value) {
		label := label(args)
		c.counts[label]++
		c.write("log", fmt.Sprintf("%s: %d", label, c.counts[label]))
	})
	method("countReset", func(args []goja.Value) { delete(c.counts, label(args)) })
	method("time", func(args []goja.Value) { c.timers[label(args)] = time.Now() })
	method("timeLog", func(args []goja.Value) { c.elapsed(args, false) })
	method("timeEnd", func(args []goja.Value) { c.elapsed(args, true) })
	group := func(args []goja.Value) {
		if len(args) > 0 {
			c.write("log", c.i.format(args))
		}
		if len(c.indent) < maxIndent {
			c.indent += "  "
		}
	}
	method("group", group)
	method("groupCollapsed", group)
	method("groupEnd", func([]goja.Value) { c.indent = c.indent[:max(len(c.indent)-2, 0)] })
	method("clear", func([]goja.Value) {})
	return object
}

const maxIndent = 40

func (c *console) elapsed(args []goja.Value, end bool) {
	label := label(args)
	began, ok := c.timers[label]
	if !ok {
		c.write("warn", fmt.Sprintf("there is no timer %q; console.time starts one", label))
		return
	}
	text := fmt.Sprintf("%s: %.3fms", label, float64(time.Since(began).Microseconds())/1000)
	if len(args) > 1 {
		text += " " + c.i.format(args[1:])
	}
	c.write("log", text)
	if end {
		delete(c.timers, label)
	}
}

func first(args []goja.Value) goja.Value {
	if len(args) == 0 {
		return goja.Undefined()
	}
	return args[0]
}

func label(args []goja.Value) string {
	if v := first(args); kindOf(v) != kindUndefined {
		return cutText(v.String(), 200)
	}
	return "default"
}
