package runtime

import (
	"regexp"
	"strings"

	"github.com/dop251/goja/file"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"

	"github.com/sandboxd/sandboxd/problem"
)

// lowered is a script that esbuild has turned into what goja can run.
type lowered struct {
	text   *text               // the generated code, its body in bodyHead as compile wants it
	source *text               // what was submitted
	places *sourcemap.Consumer // generated → bodyHead + submitted
}

// move gives the position in the submitted source that a generated one came from.
func (l *lowered) move(idx file.Idx) file.Idx {
	unit := l.unit(l.text.unit(int(idx) - 1))
	return file.Idx(unit + 1)
}

// unit gives the unit offset in the submitted source of a generated one; -1 for code of esbuild's own.
func (l *lowered) unit(unit int) int {
	line, column := l.text.place(unit)
	_, _, line, column, ok := l.places.Source(line, column-1)
	if !ok || line <= 1 {
		return -1
	}
	return l.source.offset(line-1, column+1)
}

// lower strips types and rewrites the syntax that goja lacks. JavaScript that does not
// parse is tried as TypeScript too: models write types without saying so.
func lower(s Script, source *text, lacks map[string]bool) (*lowered, *problem.Error) {
	if s.typescript() {
		return lowerAs(s, source, lacks, api.LoaderTS)
	}
	js, failure := lowerAs(s, source, lacks, api.LoaderJS)
	if failure == nil {
		return js, nil
	}
	if ts, failureTS := lowerAs(s, source, lacks, api.LoaderTS); failureTS == nil {
		return ts, nil
	} else if after(failureTS, failure) {
		return nil, failureTS // it got further
	}
	return nil, failure
}

func after(a, b *problem.Error) bool {
	return a.Line > b.Line || a.Line == b.Line && a.Column > b.Column
}

// maxExports is how many import and export statements are forgiven.
const maxExports = 200

func lowerAs(s Script, source *text, lacks map[string]bool, loader api.Loader) (*lowered, *problem.Error) {
	body := s.Source
	for range maxExports {
		answer := transform(s, bodyHead+body+bodyTail, lacks, loader)
		if len(answer.Errors) == 0 {
			places, err := sourcemap.Parse("", answer.Map)
			if err != nil {
				return nil, problem.New(problem.Internal, "the script could not be translated").WithCause(err)
			}
			return &lowered{text: newText(string(answer.Code)), source: source, places: places}, nil
		}
		first := answer.Errors[0]
		forgiven, failure := forgive(body, source, first)
		if failure != nil {
			return nil, failure
		}
		if forgiven == "" {
			return nil, refused(source, first)
		}
		body = forgiven
	}
	return nil, problem.New(problem.SyntaxError, "too many import and export statements").WithHint(modulesHint)
}

func transform(s Script, code string, lacks map[string]bool, loader api.Loader) api.TransformResult {
	return api.Transform(code, api.TransformOptions{
		Loader:         loader,
		Target:         api.ES2022,
		Supported:      lacks,
		Sourcefile:     s.name(),
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Charset:        api.CharsetUTF8,
		LogLevel:       api.LogLevelSilent,
		LegalComments:  api.LegalCommentsNone,
		// The submitted text names no file of this machine.
		TsconfigRaw: `{"compilerOptions":{"useDefineForClassFields":true}}`,
	})
}

// gojaLacks is what goja does not parse of ES2022, as esbuild names it.
func gojaLacks() map[string]bool {
	return map[string]bool{
		"for-await":            false,
		"async-generator":      false,
		"regexp-match-indices": false,
		"hashbang":             false,
	}
}

// gojaLacksWithFields is gojaLacks for scripts that name super in the value of a field.
func gojaLacksWithFields() map[string]bool {
	lacks := gojaLacks()
	lacks["class-field"], lacks["class-static-field"] = false, false
	return lacks
}

const modulesHint = "There are no modules here: remove it. files, db, state, args, console and help() are globals."

var typeImport = regexp.MustCompile(`^import\s+type\b[^'";]*(?:'[^']*'|"[^"]*")\s*;?`)

// forgive blanks out the import or export at which esbuild stopped, if the script means
// the same without it; "" if it stopped at something else. Blanks keep the positions.
func forgive(body string, source *text, stopped api.Message) (string, *problem.Error) {
	if stopped.Location == nil {
		return "", nil
	}
	lines := newText(body)
	offset := byteOffset(lines.source, stopped.Location.Line-1, stopped.Location.Column)
	if offset < 0 {
		return "", nil
	}
	rest := body[offset:]
	switch {
	case strings.HasPrefix(rest, "export"):
		after := strings.TrimLeft(rest[len("export"):], " \t\r\n")
		if strings.HasPrefix(after, "default") {
			end := len(body) - len(after) + len("default")
			return body[:offset] + blank(body[offset:end]) + body[end:], nil
		}
		if strings.HasPrefix(after, "{") || strings.HasPrefix(after, "*") {
			break
		}
		end := offset + len("export")
		return body[:offset] + blank(body[offset:end]) + body[end:], nil
	case strings.HasPrefix(rest, "import"), strings.HasPrefix(rest, "type"):
		start := strings.LastIndex(body[:offset+len("impor")], "import")
		if start < 0 {
			return "", nil
		}
		if found := typeImport.FindString(body[start:]); found != "" {
			return body[:start] + blank(found) + body[start+len(found):], nil
		}
	}
	for _, word := range []string{"import", "export"} {
		statement := strings.TrimLeft(lineOf(body, offset), " \t")
		if strings.HasPrefix(statement, word+" ") || strings.HasPrefix(statement, word+"{") {
			e := refused(source, stopped)
			e.Message = word + " is not available: a script is not a module"
			return "", e.WithHint(modulesHint)
		}
	}
	if strings.HasPrefix(strings.TrimLeft(lineOf(body, offset), " \t"), "namespace ") {
		e := refused(source, stopped)
		e.Message = "namespace is not available in a script"
		return "", e.WithHint("Use an object instead of the namespace.")
	}
	return "", nil
}

// blank keeps line ends and length.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return r
		}
		return ' '
	}, s)
}

func lineOf(s string, offset int) string {
	start := strings.LastIndexByte(s[:offset], '\n') + 1
	if end := strings.IndexByte(s[start:], '\n'); end >= 0 {
		return s[start : start+end]
	}
	return s[start:]
}

// byteOffset gives the offset of a 1-based line and a 0-based byte column, or -1.
func byteOffset(s string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		end := strings.IndexAny(s[offset:], "\n")
		if end < 0 {
			return -1
		}
		offset += end + 1
	}
	if line < 1 || offset+column > len(s) {
		return -1
	}
	return offset + column
}

// refused is esbuild's first error, placed in the submitted source.
func refused(source *text, message api.Message) *problem.Error {
	at := message.Location
	if at == nil {
		return syntaxError(message.Text, 0, 0)
	}
	offset := byteOffset(source.source, at.Line-1, at.Column)
	if offset < 0 { // it stopped at bodyTail, which the author never saw
		line, column := source.place(len(source.standIn))
		return syntaxError("Unexpected end of the script", line, column).
			WithHint("A bracket, a brace or a quote is opened and not closed.")
	}
	line, column := source.place(source.unit(offset))
	e := syntaxError(message.Text, line, column)
	if len(message.Notes) > 0 && message.Notes[0].Location != nil {
		e = e.With("note", message.Notes[0].Text).With("note_line", message.Notes[0].Location.Line-1)
	}
	return e
}
