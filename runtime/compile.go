package runtime

import (
	"errors"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/sandboxd/sandboxd/problem"
)

// The body of a script stands in an async arrow function: `await` and `return` work, and
// there is no `arguments` to see. The head ends its line, so columns are the source's own.
const (
	bodyHead = "(async () => {\n"
	bodyTail = "\n})"
)

// compile turns a script into a program whose value is a function of the helpers that
// rewritten code calls (see isolate.start). Positions in it are those of the source.
//
// goja.Compile must never see a script: it reads the file that a sourceMappingURL names.
func compile(s Script) (*program, *problem.Error) {
	s.Source = withoutHashbang(s.Source)
	source := newText(s.Source)
	if !s.typescript() {
		parsed, err := parse(bodyHead + s.Source + bodyTail)
		if err == nil {
			prg, err := link(s, parsed, source, func(idx file.Idx) file.Idx {
				return file.Idx(source.unit(int(idx)-1-len(bodyHead)) + 1)
			})
			var wrong *wrongSyntax
			if err == nil || errors.As(err, &wrong) {
				return prg, unsupported(s, source, nil, err)
			}
		}
	}
	// goja refused. Either it lacks the syntax, or esbuild says better what is wrong.
	lowered, failure := lower(s, source, gojaLacks())
	if failure != nil {
		return nil, failure
	}
	prg, err := lowered.link(s)
	if refusesSuper(err) { // esbuild took it, so it stands in the value of a field
		if again, failure := lower(s, source, gojaLacksWithFields()); failure == nil {
			lowered = again
			prg, err = lowered.link(s)
		}
	}
	return prg, unsupported(s, source, lowered, err)
}

// link compiles what esbuild made.
func (l *lowered) link(s Script) (*program, error) {
	parsed, err := parse(l.text.source)
	if err != nil {
		return nil, err
	}
	return link(s, parsed, l.source, l.move)
}

// refusesSuper tells whether goja met super where it does not expect it.
func refusesSuper(err error) bool {
	var refused *goja.CompilerSyntaxError
	return errors.As(err, &refused) && strings.HasPrefix(refused.Message, "'super' keyword")
}

func parse(source string) (*ast.Program, error) {
	return parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps)
}

// errNotABody says that a source closes the function it stands in and goes on outside.
var errNotABody = errors.New("unbalanced braces")

// program is a compiled script. It does not change and belongs to no runtime.
type program struct {
	prg *goja.Program
	// constructors are where the constructors of derived classes stand, as unit offsets:
	// steps that the stack of an error of a class of the script begins with.
	constructors [][2]int
}

// link finds the body in a parsed program, rewrites it, and compiles it under the
// script's name, with positions moved to the submitted source. The program's value is a
// function of helperParams that runs the body and gives its promise.
func link(s Script, parsed *ast.Program, source *text, move func(file.Idx) file.Idx) (*program, error) {
	return linkWith(newRewriter(move), s, parsed, source)
}

func linkWith(w *rewriter, s Script, parsed *ast.Program, source *text) (*program, error) {
	body := bodyOf(parsed)
	if body == nil {
		return nil, errNotABody
	}
	w.source = parsed.File.Source()
	w.stmts(parsed.Body)
	if w.wrong != nil {
		return nil, w.wrong
	}
	w.finish()
	answerLast(body.Body.(*ast.BlockStatement).List)

	main := body
	if helpers := parsed.Body[:len(parsed.Body)-1]; len(helpers) > 0 {
		main = wrap(helpers, body, parsed.DeclarationList)
		parsed.Body = []ast.Statement{&ast.ExpressionStatement{Expression: main}}
		parsed.DeclarationList = nil
	}
	for _, name := range helperParams {
		main.ParameterList.List = append(main.ParameterList.List,
			&ast.Binding{Target: &ast.Identifier{Name: name, Idx: body.Start}})
	}
	parsed.File = source.file(s.name())
	prg, err := goja.CompileAST(parsed, false)
	return &program{prg, w.constructors}, err
}

// withoutHashbang blanks a first line such as #!/usr/bin/env node.
func withoutHashbang(source string) string {
	if !strings.HasPrefix(source, "#!") {
		return source
	}
	end := strings.IndexAny(source, "\r\n")
	if end < 0 {
		end = len(source)
	}
	return strings.Repeat(" ", end) + source[end:]
}

// unsupported is the error for what esbuild takes and goja does not.
func unsupported(s Script, source *text, lowered *lowered, err error) *problem.Error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errNotABody) {
		return unbalanced(s, source)
	}
	line, column := 0, 0
	message := err.Error()
	var compileErr *goja.CompilerSyntaxError
	var list parser.ErrorList
	var wrong *wrongSyntax
	switch {
	case errors.As(err, &wrong):
		line, column = source.place(int(wrong.at) - 1)
	case errors.As(err, &compileErr):
		message = compileErr.Message
		if compileErr.File != nil {
			at := compileErr.File.Position(compileErr.Offset)
			line, column = at.Line, at.Column
		}
	case errors.As(err, &list) && len(list) > 0:
		message = list[0].Message
		generated := lowered.text.offset(list[0].Position.Line, list[0].Position.Column)
		line, column = source.place(max(lowered.unit(generated), 0))
	}
	e := syntaxError(message, line, column)
	if importing(source, line, column) {
		e.Message = "import is not available: a script is not a module"
		e = e.WithHint(modulesHint)
	}
	return e.WithCause(err)
}

// unbalanced is the error for a source that closes what it did not open: esbuild says
// where, once it sees the source without the function around it.
func unbalanced(s Script, source *text) *problem.Error {
	answer := transform(s, "\n"+s.Source, gojaLacks(), api.LoaderTS)
	for _, e := range answer.Errors {
		if strings.HasPrefix(e.Text, "Unexpected \"}\"") || strings.HasPrefix(e.Text, "Unexpected \")\"") {
			return refused(source, e)
		}
	}
	return syntaxError("the braces of the script are not balanced", 0, 0)
}

// A syntaxError keeps the words of the parser, without their position.
func syntaxError(message string, line, column int) *problem.Error {
	message = strings.TrimPrefix(message, "SyntaxError: ")
	message = parserPosition.ReplaceAllString(message, "")
	e := problem.New(problem.SyntaxError, "%s", message)
	e.Line, e.Column = line, column
	return e
}

// importing tells whether a syntax error is about import or import.meta.
func importing(source *text, line, column int) bool {
	return line > 0 && strings.HasPrefix(source.standIn[source.offset(line, column):], "import")
}

var parserPosition = regexp.MustCompile(`^\(?[^\s:]*\)?: Line \d+:\d+ `)
