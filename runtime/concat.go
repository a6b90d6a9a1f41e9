package runtime

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// goja copies both sides of every `+`, which makes a text built by `s += piece` quadratic:
// 470 KB one character at a time take 6 s. So `s += e` becomes `s = %concat(s, e)` where s
// is likely to be a string, and concat appends e into the spare room behind s. Every
// string made on the way stays as it is: only bytes behind its end are written. Where an
// operand is no string, concat does what `+` does.

// assigned looks at an assignment that has been walked: a candidate for concat, or the
// sign that a variable or property holds a string.
func (w *rewriter) assigned(e *ast.AssignExpression) {
	switch e.Operator {
	case token.PLUS:
		if w.inWith == 0 {
			w.appends = append(w.appends, e)
		}
	case token.ASSIGN:
		switch left := e.Left.(type) {
		case *ast.Identifier:
			if isText(e.Right) {
				w.texts[left.Name] = true
			}
			if w.inWith == 0 && startsWith(e.Right, left) {
				w.appends = append(w.appends, e)
			}
		case *ast.DotExpression:
			if isText(e.Right) {
				w.members[left.Identifier.Name] = true
			}
		}
	}
}

// startsWith tells whether e is a chain of + that begins with the variable id.
func startsWith(e ast.Expression, id *ast.Identifier) bool {
	sum, ok := e.(*ast.BinaryExpression)
	if !ok || sum.Operator != token.PLUS {
		return false
	}
	if first, ok := sum.Left.(*ast.Identifier); ok {
		return first.Name == id.Name
	}
	return startsWith(sum.Left, id)
}

// finish rewrites the candidates, now that it is known which names hold strings, and
// tells how many it did rewrite.
func (w *rewriter) finish() (count int) {
	if w.noConcat {
		return 0
	}
	for _, e := range w.appends {
		if e.Operator == token.ASSIGN {
			id := e.Left.(*ast.Identifier)
			if w.texts[id.Name] || isText(e.Right) {
				e.Right = concatChain(e.Right.(*ast.BinaryExpression))
				count++
			}
		} else if left := w.readAgain(e); left != nil {
			e.Operator = token.ASSIGN
			e.Right = callOf(concatParam, e.Left.Idx0(), left, e.Right)
			count++
		}
	}
	return count
}

// concatChain turns s + a + b into %concat(%concat(s, a), b): the same order of the same steps.
func concatChain(sum *ast.BinaryExpression) ast.Expression {
	left := sum.Left
	if inner, ok := left.(*ast.BinaryExpression); ok && inner.Operator == token.PLUS {
		left = concatChain(inner)
	}
	return callOf(concatParam, sum.Left.Idx0(), left, sum.Right)
}

// readAgain gives a second reading of the target of `target += e`, or nil if reading it
// twice could be seen, or if nothing says that it is a string.
func (w *rewriter) readAgain(e *ast.AssignExpression) ast.Expression {
	switch left := e.Left.(type) {
	case *ast.Identifier:
		if w.texts[left.Name] || isText(e.Right) {
			again := *left
			return &again
		}
	case *ast.DotExpression:
		if !w.members[left.Identifier.Name] && !isText(e.Right) {
			return nil
		}
		switch base := left.Left.(type) {
		case *ast.Identifier:
			again := *base
			return &ast.DotExpression{Left: &again, Identifier: left.Identifier}
		case *ast.ThisExpression:
			again := *base
			return &ast.DotExpression{Left: &again, Identifier: left.Identifier}
		}
	}
	return nil
}

const (
	concatFrom  = 512 // UTF-16 units; joining shorter strings by copying is cheaper
	concatTexts = 8   // texts that can grow at the same time before the oldest is copied again
)

// concatenator is the `+` of one isolate for strings that grow.
type concatenator struct {
	vm    *goja.Runtime
	texts [concatTexts]growing // those that grow often come first
	plus  goja.Callable        // JavaScript's own +, made when first needed
}

// growing is a string with spare room behind it.
type growing struct {
	builder *goja.StringBuilder
	data    uintptr // the newest string made of builder: where its units are
	size    int     // and how many
}

// call is %concat(left, right).
func (c *concatenator) call(call goja.FunctionCall) goja.Value {
	left, right := call.Arguments[0], call.Arguments[1]
	ls, ok := left.(goja.String)
	if !ok {
		return c.add(left, right)
	}
	switch rs := right.(type) {
	case goja.String:
		return c.join(ls, rs)
	case *goja.Object, *goja.Symbol:
		return c.add(left, right) // objects decide for themselves, symbols refuse
	}
	return c.join(ls, c.vm.ToValue(right.String()).(goja.String))
}

// add is JavaScript's +.
func (c *concatenator) add(left, right goja.Value) goja.Value {
	if c.plus == nil {
		fn, err := c.vm.RunProgram(plusProgram)
		if err != nil {
			panic(err)
		}
		c.plus, _ = goja.AssertFunction(fn)
	}
	sum, err := c.plus(goja.Undefined(), left, right)
	if err != nil {
		panic(err)
	}
	return sum
}

var plusProgram = goja.MustCompile("", "(a, b) => a + b", true)

// join appends right to left, in place if left is the newest string of a growing text.
func (c *concatenator) join(left, right goja.String) goja.Value {
	data, size := unitsOf(left)
	if data != 0 {
		for i := range c.texts {
			if text := &c.texts[i]; text.data == data && text.size == size && text.builder != nil {
				return c.grow(i, right)
			}
		}
	}
	if left.Length() < concatFrom {
		return left.Concat(right)
	}
	copy(c.texts[1:], c.texts[:concatTexts-1])
	c.texts[0] = growing{builder: new(goja.StringBuilder)}
	c.texts[0].builder.Grow(2 * left.Length())
	c.texts[0].builder.WriteString(left)
	return c.grow(0, right)
}

func (c *concatenator) grow(i int, right goja.String) goja.Value {
	text := &c.texts[i]
	text.builder.WriteString(right)
	whole := text.builder.String()
	text.data, text.size = unitsOf(whole)
	if i > 0 {
		c.texts[i-1], c.texts[i] = c.texts[i], c.texts[i-1]
	}
	return whole
}

// unitsOf identifies a string by where its units lie. Nothing is read through the address,
// and the builder keeps what lies there.
func unitsOf(s goja.String) (data uintptr, size int) {
	v := reflect.ValueOf(s)
	switch v.Kind() {
	case reflect.String: // ASCII
		text := v.String()
		return uintptr(unsafe.Pointer(unsafe.StringData(text))), len(text)
	case reflect.Slice: // UTF-16
		return v.Pointer(), v.Len()
	}
	return 0, 0
}
