package runtime

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// leftFirst gives a < b < c the meaning of (a < b) < c. goja's parser reads it as
// a < (b < c), and its tree does not tell that from parentheses in the source, so the
// source is asked. It runs before positions are moved. A chain whose operands stand in
// parentheses of their own, as in a < (b) < c, stays as goja reads it.
func (w *rewriter) leftFirst(e *ast.BinaryExpression) {
	for relational(e.Operator) {
		right, ok := e.Right.(*ast.BinaryExpression)
		if !ok || !relational(right.Operator) || !w.adjacent(e.Left, right.Left) {
			return
		}
		first := &ast.BinaryExpression{Operator: e.Operator, Left: e.Left, Right: right.Left, Comparison: e.Comparison}
		*e = ast.BinaryExpression{Operator: right.Operator, Left: first, Right: right.Right, Comparison: right.Comparison}
	}
}

// adjacent tells whether no parenthesis opens between two operands.
func (w *rewriter) adjacent(left, right ast.Expression) bool {
	from, to := int(left.Idx1())-1, int(right.Idx0())-1
	return 0 <= from && from <= to && to <= len(w.source) && !strings.Contains(w.source[from:to], "(")
}

func relational(operator token.Token) bool {
	switch operator {
	case token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL, token.INSTANCEOF, token.IN:
		return true
	}
	return false
}
