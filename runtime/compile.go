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
func compile(s Script) (*goja.Program, *problem.Error) {
	source := newText(s.Source)
	if !s.typescript() {
		parsed, err := parse(bodyHead + s.Source + bodyTail)
		if err == nil {
			prg, err := link(s, parsed, source, func(idx file.Idx) file.Idx {
				return file.Idx(source.unit(int(idx)-1-len(bodyHead)) + 1)
			})
			if err == nil {
				return prg, nil
			}
		}
	}
	// goja refused. Either it lacks the syntax, or esbuild says better what is wrong.
	lowered, failure := lower(s, source)
	if failure != nil {
		return nil, failure
	}
	parsed, err := parse(lowered.text.source)
	if err != nil {
		return nil, unsupported(s, source, lowered, err)
	}
	prg, err := link(s, parsed, source, lowered.move)
	if err != nil {
		return nil, unsupported(s, source, lowered, err)
	}
	return prg, nil
}

func parse(source string) (*ast.Program, error) {
	return parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps)
}

// errNotABody says that a source closes the function it stands in and goes on outside.
var errNotABody = errors.New("unbalanced braces")

// link finds the body in a parsed program, rewrites it, and compiles it under the
// script's name, with positions moved to the submitted source.
func link(s Script, parsed *ast.Program, source *text, move func(file.Idx) file.Idx) (*goja.Program, error) {
	count := len(parsed.Body)
	for _, before := range parsed.Body[:max(count-1, 0)] {
		if _, ok := before.(*ast.VariableStatement); !ok { // esbuild's helpers are variables
			return nil, errNotABody
		}
	}
	if count == 0 {
		return nil, errNotABody
	}
	last, ok := parsed.Body[count-1].(*ast.ExpressionStatement)
	if !ok {
		return nil, errNotABody
	}
	body, ok := last.Expression.(*ast.ArrowFunctionLiteral)
	if !ok || !body.Async || len(body.ParameterList.List) > 0 {
		return nil, errNotABody
	}
	block, ok := body.Body.(*ast.BlockStatement)
	if !ok {
		return nil, errNotABody
	}

	w := newRewriter(move)
	w.stmts(parsed.Body)
	w.finish()
	answerLast(block.List)
	for _, name := range helperParams {
		body.ParameterList.List = append(body.ParameterList.List,
			&ast.Binding{Target: &ast.Identifier{Name: name, Idx: body.Start}})
	}
	parsed.File = source.file(s.name())
	return goja.CompileAST(parsed, false)
}

// unsupported is the error for what esbuild takes and goja does not.
func unsupported(s Script, source *text, lowered *lowered, err error) *problem.Error {
	if errors.Is(err, errNotABody) {
		return unbalanced(s, source)
	}
	line, column := 0, 0
	message := err.Error()
	var compileErr *goja.CompilerSyntaxError
	var list parser.ErrorList
	switch {
	case errors.As(err, &compileErr):
		message = compileErr.Message
		if compileErr.File != nil {
			at := compileErr.File.Position(compileErr.Offset)
			line, column = at.Line, at.Column
		}
	case errors.As(err, &list) && len(list) > 0:
		message = list[0].Message
		generated := lowered.text.offset(list[0].Position.Line, list[0].Position.Column)
		line, column = source.place(int(lowered.moveUnit(generated)))
	}
	return syntaxError(message, line, column).WithCause(err)
}

// unbalanced is the error for a source that closes what it did not open: esbuild says
// where, once it sees the source without the function around it.
func unbalanced(s Script, source *text) *problem.Error {
	answer := transform(s, "\n"+s.Source, api.LoaderTS)
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

var parserPosition = regexp.MustCompile(`^\(?[^\s:]*\)?: Line \d+:\d+ `)
