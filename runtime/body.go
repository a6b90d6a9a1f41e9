package runtime

import "github.com/dop251/goja/ast"

// bodyOf finds the async arrow function of bodyHead: the last statement, with nothing
// before it but the variables that esbuild adds. It is nil if there is no such thing.
func bodyOf(parsed *ast.Program) *ast.ArrowFunctionLiteral {
	count := len(parsed.Body)
	if count == 0 {
		return nil
	}
	for _, before := range parsed.Body[:count-1] {
		if _, ok := before.(*ast.VariableStatement); !ok {
			return nil
		}
	}
	last, ok := parsed.Body[count-1].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	body, ok := last.Expression.(*ast.ArrowFunctionLiteral)
	if !ok || !body.Async || len(body.ParameterList.List) > 0 {
		return nil
	}
	if _, ok := body.Body.(*ast.BlockStatement); !ok {
		return nil
	}
	return body
}

// wrap is `() => { helpers; return (body)() }`, so that what esbuild adds is no global.
func wrap(helpers []ast.Statement, body *ast.ArrowFunctionLiteral, declared []*ast.VariableDeclaration) *ast.ArrowFunctionLiteral {
	call := &ast.CallExpression{Callee: body, LeftParenthesis: body.Start, RightParenthesis: body.Start}
	return &ast.ArrowFunctionLiteral{
		Start:         body.Start,
		ParameterList: &ast.ParameterList{Opening: body.Start, Closing: body.Start},
		Body: &ast.BlockStatement{
			LeftBrace: body.Start,
			List:      append(helpers[:len(helpers):len(helpers)], &ast.ReturnStatement{Return: body.Start, Argument: call}),
		},
		DeclarationList: declared,
	}
}

// answerLast makes a trailing expression the answer of the body, also where it is the
// last of a block, an if or a try: `return` there ends the body just as well.
func answerLast(list []ast.Statement) {
	if len(list) == 0 {
		return
	}
	last := len(list) - 1
	switch s := list[last].(type) {
	case *ast.EmptyStatement:
		answerLast(list[:last])
	case *ast.ExpressionStatement:
		list[last] = &ast.ReturnStatement{Return: s.Expression.Idx0(), Argument: s.Expression}
	case *ast.BlockStatement:
		answerLast(s.List)
	case *ast.IfStatement:
		s.Consequent = answerOne(s.Consequent)
		s.Alternate = answerOne(s.Alternate)
	case *ast.TryStatement:
		answerLast(s.Body.List)
		if s.Catch != nil {
			answerLast(s.Catch.Body.List)
		}
	}
}

func answerOne(s ast.Statement) ast.Statement {
	if s == nil {
		return nil
	}
	list := []ast.Statement{s}
	answerLast(list)
	return list[0]
}
