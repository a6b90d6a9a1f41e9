package runtime

import (
	"strings"

	"github.com/dop251/goja/ast"
)

func (w *rewriter) stmts(list []ast.Statement) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *rewriter) block(b *ast.BlockStatement) {
	if b == nil {
		return
	}
	w.at(&b.LeftBrace)
	w.stmts(b.List)
	w.at(&b.RightBrace)
}

func (w *rewriter) stmt(s ast.Statement) {
	switch s := s.(type) {
	case nil:
	case *ast.BadStatement:
		w.at(&s.From)
		w.at(&s.To)
	case *ast.BlockStatement:
		w.block(s)
	case *ast.BranchStatement:
		w.at(&s.Idx)
		w.ident(s.Label)
	case *ast.ClassDeclaration:
		w.class(s.Class)
	case *ast.DebuggerStatement:
		w.at(&s.Debugger)
	case *ast.DoWhileStatement:
		w.at(&s.Do)
		w.at(&s.RightParenthesis)
		w.expr(s.Test)
		w.stmt(s.Body)
	case *ast.EmptyStatement:
		w.at(&s.Semicolon)
	case *ast.ExpressionStatement:
		w.expr(s.Expression)
	case *ast.ForInStatement:
		w.at(&s.For)
		w.forInto(s.Into)
		w.expr(s.Source)
		w.stmt(s.Body)
	case *ast.ForOfStatement:
		w.at(&s.For)
		w.forInto(s.Into)
		w.expr(s.Source)
		w.stmt(s.Body)
	case *ast.ForStatement:
		w.at(&s.For)
		switch init := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			w.expr(init.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			w.at(&init.Var)
			w.bindings(init.List)
		case *ast.ForLoopInitializerLexicalDecl:
			w.at(&init.LexicalDeclaration.Idx)
			w.bindings(init.LexicalDeclaration.List)
		}
		w.expr(s.Test)
		w.expr(s.Update)
		w.stmt(s.Body)
	case *ast.FunctionDeclaration:
		w.function(s.Function)
	case *ast.IfStatement:
		w.at(&s.If)
		w.expr(s.Test)
		w.stmt(s.Consequent)
		w.stmt(s.Alternate)
	case *ast.LabelledStatement:
		w.ident(s.Label)
		w.at(&s.Colon)
		w.stmt(s.Statement)
	case *ast.LexicalDeclaration:
		w.at(&s.Idx)
		w.bindings(s.List)
	case *ast.ReturnStatement:
		w.at(&s.Return)
		w.expr(s.Argument)
	case *ast.SwitchStatement:
		w.at(&s.Switch)
		w.at(&s.RightBrace)
		w.expr(s.Discriminant)
		for _, c := range s.Body {
			w.at(&c.Case)
			w.expr(c.Test)
			w.stmts(c.Consequent)
		}
	case *ast.ThrowStatement:
		w.at(&s.Throw)
		w.expr(s.Argument)
		w.thrown(s)
	case *ast.TryStatement:
		w.at(&s.Try)
		w.block(s.Body)
		if s.Catch != nil {
			w.at(&s.Catch.Catch)
			if s.Catch.Parameter != nil {
				w.expr(s.Catch.Parameter)
			}
			w.block(s.Catch.Body)
		}
		w.block(s.Finally)
	case *ast.VariableStatement:
		w.at(&s.Var)
		w.bindings(s.List)
	case *ast.WhileStatement:
		w.at(&s.While)
		w.expr(s.Test)
		w.stmt(s.Body)
	case *ast.WithStatement:
		w.at(&s.With)
		w.expr(s.Object)
		w.inWith++
		w.stmt(s.Body)
		w.inWith--
	}
}

func (w *rewriter) forInto(into ast.ForInto) {
	switch into := into.(type) {
	case *ast.ForIntoVar:
		w.binding(into.Binding)
	case *ast.ForDeclaration:
		w.at(&into.Idx)
		w.expr(into.Target)
	case *ast.ForIntoExpression:
		w.expr(into.Expression)
	}
}

// thrown makes `throw e` tell the isolate where it stands, since a thrown value that is
// no Error carries no stack. What is thrown does not change.
func (w *rewriter) thrown(s *ast.ThrowStatement) {
	switch s.Argument.(type) {
	case nil:
		return
	case *ast.NewExpression:
		callee, ok := s.Argument.(*ast.NewExpression).Callee.(*ast.Identifier)
		if ok && strings.HasSuffix(string(callee.Name), "Error") {
			return
		}
	}
	if w.inWith == 0 {
		s.Argument = callOf(thrownParam, s.Throw, s.Argument)
	}
}
