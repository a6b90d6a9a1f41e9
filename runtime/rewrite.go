package runtime

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"github.com/sandboxd/sandboxd/runtime/lang"
)

// Names of the parameters through which rewritten code reaches the isolate. No source
// text can spell them, so that no script can see, shadow or replace them.
const (
	concatParam unistring.String = "%concat"
	thrownParam unistring.String = "%thrown"
)

// rewriter walks a parsed program once and changes it in place: every position is moved
// to the submitted source, thrown values report where they were thrown, and strings that
// are built piece by piece are joined by a concat call (see concat.go).
type rewriter struct {
	move   func(file.Idx) file.Idx // from the parsed text to the submitted source
	source string                  // the parsed text

	constructors [][2]int // of derived classes; see program

	wrong    *wrongSyntax // the first thing that cannot be
	noConcat bool         // leaves + alone, for tests that compare
	inWith   int          // depth of with statements, whose objects could catch any name
	appends  []*ast.AssignExpression
	texts    map[unistring.String]bool // variables that are given a string somewhere
	members  map[unistring.String]bool // properties that are given a string somewhere
}

// wrongSyntax is a syntax error that goja's parser does not see.
type wrongSyntax struct {
	message string
	at      file.Idx
}

func (e *wrongSyntax) Error() string { return e.message }

func newRewriter(move func(file.Idx) file.Idx) *rewriter {
	return &rewriter{
		move:    move,
		texts:   map[unistring.String]bool{},
		members: map[unistring.String]bool{},
	}
}

// at moves one position. Positions that the parser left unset stay so.
func (w *rewriter) at(idx *file.Idx) {
	if *idx != 0 {
		*idx = w.move(*idx)
	}
}

func (w *rewriter) exprs(list []ast.Expression) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *rewriter) ident(id *ast.Identifier) {
	if id != nil {
		w.at(&id.Idx)
	}
}

func (w *rewriter) expr(e ast.Expression) {
	switch e := e.(type) {
	case nil:
	case *ast.ArrayLiteral:
		w.at(&e.LeftBracket)
		w.at(&e.RightBracket)
		w.exprs(e.Value)
	case *ast.ArrayPattern:
		w.at(&e.LeftBracket)
		w.at(&e.RightBracket)
		w.exprs(e.Elements)
		w.expr(e.Rest)
	case *ast.ArrowFunctionLiteral:
		w.at(&e.Start)
		w.params(e.ParameterList)
		switch body := e.Body.(type) {
		case *ast.BlockStatement:
			w.block(body)
		case *ast.ExpressionBody:
			w.expr(body.Expression)
		}
	case *ast.AssignExpression:
		w.expr(e.Left)
		w.expr(e.Right)
		w.assigned(e)
	case *ast.AwaitExpression:
		w.at(&e.Await)
		w.expr(e.Argument)
	case *ast.BadExpression:
		w.at(&e.From)
		w.at(&e.To)
	case *ast.BinaryExpression:
		w.leftFirst(e)
		w.expr(e.Left)
		w.expr(e.Right)
	case *ast.Binding:
		w.binding(e)
	case *ast.BooleanLiteral:
		w.at(&e.Idx)
	case *ast.BracketExpression:
		w.expr(e.Left)
		w.expr(e.Member)
		w.at(&e.LeftBracket)
		w.at(&e.RightBracket)
	case *ast.CallExpression:
		w.expr(e.Callee)
		w.at(&e.LeftParenthesis)
		w.exprs(e.ArgumentList)
		w.at(&e.RightParenthesis)
		switch callee := e.Callee.(type) { // a call stands where its name does, as in V8
		case *ast.Identifier:
			e.LeftParenthesis = callee.Idx
		case *ast.DotExpression:
			e.LeftParenthesis = callee.Identifier.Idx
		}
	case *ast.ClassLiteral:
		w.class(e)
	case *ast.ConditionalExpression:
		w.expr(e.Test)
		w.expr(e.Consequent)
		w.expr(e.Alternate)
	case *ast.DotExpression:
		w.expr(e.Left)
		w.ident(&e.Identifier)
	case *ast.FunctionLiteral:
		w.function(e)
	case *ast.Identifier:
		w.ident(e)
	case *ast.MetaProperty:
		w.ident(e.Meta)
		w.ident(e.Property)
		w.at(&e.Idx)
	case *ast.NewExpression:
		w.at(&e.New)
		w.expr(e.Callee)
		w.at(&e.LeftParenthesis)
		w.exprs(e.ArgumentList)
		w.at(&e.RightParenthesis)
	case *ast.NullLiteral:
		w.at(&e.Idx)
	case *ast.NumberLiteral:
		w.at(&e.Idx)
	case *ast.ObjectLiteral:
		w.at(&e.LeftBrace)
		w.at(&e.RightBrace)
		w.properties(e.Value)
	case *ast.ObjectPattern:
		w.at(&e.LeftBrace)
		w.at(&e.RightBrace)
		w.properties(e.Properties)
		w.expr(e.Rest)
	case *ast.Optional:
		w.expr(e.Expression)
	case *ast.OptionalChain:
		w.expr(e.Expression)
	case *ast.PrivateDotExpression:
		w.expr(e.Left)
		w.ident(&e.Identifier.Identifier)
	case *ast.PrivateIdentifier:
		w.ident(&e.Identifier)
	case *ast.PropertyKeyed, *ast.PropertyShort, *ast.SpreadElement:
		w.property(e)
	case *ast.RegExpLiteral:
		w.at(&e.Idx)
		if err := lang.RewriteRegexp(e); err != nil && w.wrong == nil {
			w.wrong = &wrongSyntax{err.Error(), e.Idx}
		}
	case *ast.SequenceExpression:
		w.exprs(e.Sequence)
	case *ast.StringLiteral:
		w.at(&e.Idx)
	case *ast.SuperExpression:
		w.at(&e.Idx)
	case *ast.TemplateLiteral:
		w.at(&e.OpenQuote)
		w.at(&e.CloseQuote)
		w.expr(e.Tag)
		for _, element := range e.Elements {
			w.at(&element.Idx)
		}
		w.exprs(e.Expressions)
	case *ast.ThisExpression:
		w.at(&e.Idx)
	case *ast.UnaryExpression:
		w.at(&e.Idx)
		w.expr(e.Operand)
	case *ast.YieldExpression:
		w.at(&e.Yield)
		w.expr(e.Argument)
	}
}

func (w *rewriter) properties(list []ast.Property) {
	for _, p := range list {
		w.property(p)
	}
}

func (w *rewriter) property(p ast.Expression) {
	switch p := p.(type) {
	case *ast.PropertyKeyed:
		w.expr(p.Key)
		w.expr(p.Value)
		if key, ok := p.Key.(*ast.StringLiteral); ok && isText(p.Value) {
			w.members[key.Value] = true
		}
	case *ast.PropertyShort:
		w.ident(&p.Name)
		w.expr(p.Initializer)
		if isText(p.Initializer) {
			w.texts[p.Name.Name] = true
		}
	case *ast.SpreadElement:
		w.expr(p.Expression)
	}
}

func (w *rewriter) binding(b *ast.Binding) {
	if b == nil {
		return
	}
	w.expr(b.Target)
	w.expr(b.Initializer)
	if id, ok := b.Target.(*ast.Identifier); ok && isText(b.Initializer) {
		w.texts[id.Name] = true
	}
}

func (w *rewriter) bindings(list []*ast.Binding) {
	for _, b := range list {
		w.binding(b)
	}
}

func (w *rewriter) params(p *ast.ParameterList) {
	if p == nil {
		return
	}
	w.at(&p.Opening)
	w.at(&p.Closing)
	w.bindings(p.List)
	w.expr(p.Rest)
}

func (w *rewriter) function(f *ast.FunctionLiteral) {
	if f == nil {
		return
	}
	w.at(&f.Function)
	w.ident(f.Name)
	w.params(f.ParameterList)
	w.block(f.Body)
}

func (w *rewriter) class(c *ast.ClassLiteral) {
	if c == nil {
		return
	}
	w.at(&c.Class)
	w.at(&c.RightBrace)
	w.ident(c.Name)
	w.expr(c.SuperClass)
	for _, element := range c.Body {
		switch element := element.(type) {
		case *ast.FieldDefinition:
			w.at(&element.Idx)
			w.expr(element.Key)
			w.expr(element.Initializer)
			if key, ok := element.Key.(*ast.StringLiteral); ok && isText(element.Initializer) {
				w.members[key.Value] = true
			}
		case *ast.MethodDefinition:
			w.at(&element.Idx)
			w.expr(element.Key)
			w.function(element.Body)
			if key, ok := element.Key.(*ast.StringLiteral); ok && key.Value == "constructor" && c.SuperClass != nil {
				w.constructors = append(w.constructors, [2]int{int(element.Idx) - 1, int(element.Body.Body.RightBrace)})
			}
		case *ast.ClassStaticBlock:
			w.at(&element.Static)
			w.block(element.Block)
		}
	}
}

// callOf is the call name(args…) as if it stood at idx.
func callOf(name unistring.String, idx file.Idx, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{
		Callee:           &ast.Identifier{Name: name, Idx: idx},
		LeftParenthesis:  idx,
		ArgumentList:     args,
		RightParenthesis: idx,
	}
}

// isText tells whether an expression is a string whatever its parts are.
func isText(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return true
	case *ast.TemplateLiteral:
		return e.Tag == nil
	case *ast.BinaryExpression:
		return e.Operator == token.PLUS && (isText(e.Left) || isText(e.Right))
	}
	return false
}
