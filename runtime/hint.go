package runtime

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"weak"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// recentCalls remembers the last calls of operations, to name the one whose await was
// forgotten. It keeps no promise, and so no result, alive.
type recentCalls struct {
	calls [64]recentCall
	next  int
}

type recentCall struct {
	operation string
	promise   weak.Pointer[goja.Promise]
	site      goja.StackFrame
	placed    bool
}

func (r *recentCalls) add(operation string, p *goja.Promise, site []goja.StackFrame) {
	call := recentCall{operation: operation, promise: weak.Make(p)}
	for _, f := range site {
		if f.SrcName() != "<native>" {
			call.site, call.placed = f, true
			break
		}
	}
	r.calls[r.next%len(r.calls)] = call
	r.next++
}

// forgotten gives the latest call whose promise nobody has looked at.
func (r *recentCalls) forgotten() *recentCall {
	for back := 1; back <= min(r.next, len(r.calls)); back++ {
		call := &r.calls[(r.next-back)%len(r.calls)]
		if p := call.promise.Value(); p != nil && call.placed && !handled(p) {
			return call
		}
	}
	return nil
}

// maxUnread is how many forgotten reads are named; after them the habit is clear.
const maxUnread = 3

// warnUnread tells of reads whose promises nobody looked at. A change that was not awaited
// is made all the same; a read that was not awaited is nothing but its Promise, of which
// scripts take the length or the JSON without noticing.
func (i *isolate) warnUnread() {
	said := map[string]bool{}
	r := &i.recent
	for back := min(r.next, len(r.calls)); back >= 1; back-- {
		call := &r.calls[(r.next-back)%len(r.calls)]
		p := call.promise.Value()
		if p == nil || !call.placed || handled(p) {
			continue
		}
		o, known := i.cfg.Table.Lookup(call.operation)
		text := call.missing()
		if !known || !o.Doc.ReadOnly || said[text] {
			continue
		}
		if said[text] = true; len(said) > maxUnread {
			return
		}
		i.console.write("warn", text)
	}
}

// missing says which await is.
func (c *recentCall) missing() string {
	return fmt.Sprintf("%s in line %d was not awaited: it gives a Promise, not the value. Write await %s(…).",
		c.operation, c.site.Position().Line, c.operation)
}

// handled tells whether a promise was awaited or given a then. goja knows and does not
// say; without the field, every promise counts as handled and no hint is given.
func handled(p *goja.Promise) bool {
	field := reflect.ValueOf(p).Elem().FieldByName("handled")
	return !field.IsValid() || field.Kind() != reflect.Bool || field.Bool()
}

var ownName = regexp.MustCompile(`\b(?:const|let|class)\s+(files|db|state|args|console|help|resolve)\b`)

// withHints says more about an error of the script's where that is likely to help.
func (i *isolate) withHints(p *problem.Error) *problem.Error {
	if p.Code != problem.ScriptError {
		return p
	}
	builtIn := strings.HasPrefix(p.Message, "TypeError") || strings.HasPrefix(p.Message, "SyntaxError") ||
		strings.HasPrefix(p.Message, "RangeError")
	if call := i.recent.forgotten(); builtIn && call != nil {
		return p.WithHint("%s", call.missing())
	}
	if strings.Contains(p.Message, "before initialization") {
		if m := ownName.FindStringSubmatch(i.script.Source); m != nil {
			return p.WithHint("%s is a global of the sandbox; a variable of that name hides it, so give yours another name.", m[1])
		}
	}
	if missing := notDefined.FindStringSubmatch(p.Message); missing != nil {
		if hint, ok := absent[missing[1]]; ok {
			return p.WithHint("%s", hint)
		}
	}
	return p
}

var notDefined = regexp.MustCompile(`^ReferenceError: (\w+) is not defined`)

// absent says what to use instead of what other hosts of JavaScript have.
var absent = map[string]string{
	"require":        "There are no modules here. " + useInstead,
	"module":         "There are no modules here; return the value instead.",
	"exports":        "There are no modules here; return the value instead.",
	"process":        "There is no process here; args holds what the script was given. " + useInstead,
	"fetch":          "The network is reached by files.download(url, name) alone, which saves into a file.",
	"XMLHttpRequest": "The network is reached by files.download(url, name) alone, which saves into a file.",
	"file":           "The files are reached by files, with an s: files.readText(name).",
	"database":       "The database is reached by db: db.sql(statement, params).",
	"fs":             "Use files.readText, files.writeText, files.list; help(\"files\") lists them.",
	"Buffer":         "Use Uint8Array, TextEncoder, atob and btoa, or files.readBytes and files.writeBytes, which take base64.",
	"document":       "There is no browser here. " + useInstead,
	"window":         "There is no browser here. " + useInstead,
	"localStorage":   "Use state.get and state.set.",
	"alert":          "Use console.log, or return the value.",
}

const useInstead = "help() lists what there is."

// plainDetails are details in the order of their names, as plain data.
func plainDetails(details map[string]any) op.Object {
	names := make([]string, 0, len(details))
	for name := range details {
		names = append(names, name)
	}
	sort.Strings(names)
	var members op.Object
	for _, name := range names {
		raw, err := json.Marshal(details[name])
		if err != nil {
			continue
		}
		if value, err := op.DecodeJSON(raw); err == nil {
			members = append(members, op.Member{Name: name, Value: value})
		}
	}
	return members
}
