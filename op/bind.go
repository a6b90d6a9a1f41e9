package op

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/sandboxd/sandboxd/problem"
)

// Input is an In struct that has been bound and checked.
type Input struct{ value reflect.Value }

// Call runs the operation on a bound input; the answer is its Out.
func (o *Operation) Call(ctx context.Context, env *Env, in Input) (any, error) {
	out, err := o.call(ctx, env, in.value)
	var p *problem.Error
	switch {
	case !errors.As(err, &p):
	case p.Code == problem.InvalidArgument && p.Hint == problem.New(p.Code, "").Hint:
		return out, p.WithHint("Look at the expected type or value, or call help(%q).", o.Name) // not at "the function"
	case p.Code == problem.NotFound:
		return out, env.suggestFile(ctx, p)
	}
	return out, err
}

// BindJS makes the input of a JavaScript call from plain values: nil (undefined or null),
// bool, int64, float64, string, []byte, []any and Object. Each was read once. A []string
// or [][]any in place of a []any is taken over as it is. The input shares what it can with
// args, which must not change any more.
//
// undefined and null stand for an absent optional argument, and further ones at the end
// are ignored. An options object may follow the required arguments at once:
// files.create("a.txt", {content: "…"}), and may name those that it stands for:
// files.image.resize("a.png", {width: 800}). The error is invalid_argument.
func (o *Operation) BindJS(args []any) (Input, *problem.Error) {
	params := o.in.fields
	for len(args) > len(params) && args[len(args)-1] == nil {
		args = args[:len(args)-1]
	}
	if len(args) > len(params) {
		return Input{}, o.tooMany(len(args))
	}
	in := reflect.New(o.in.typ).Elem()
	early := o.earlyOptions(args)
	var named, options Object
	if early {
		named, options = o.splitNamed(args)
	}
	for i, f := range params {
		var value any
		given := i < len(args)
		switch {
		case early && f.options:
			value, given = options, true
		case early && i >= len(args)-1:
			value, given = named.get(f.names[sideJS])
		case given:
			value = args[i]
		}
		if wrong := setMember(in, f, sideJS, value, given); wrong != nil {
			return Input{}, o.refuse(sideJS, wrong)
		}
	}
	return Input{in}, nil
}

// earlyOptions tells whether the last argument, standing where an optional argument
// that takes no object would, can only be the options.
func (o *Operation) earlyOptions(args []any) bool {
	params := o.in.fields
	last := len(args) - 1
	if last < 0 || last >= len(params)-1 || !params[len(params)-1].options || params[last].required() {
		return false
	}
	_, isObject := args[last].(Object)
	k := params[last].bare().kind
	return isObject && k != kindStruct && k != kindMap && k != kindAny && k != kindRaw
}

// splitNamed takes from early options the members that name an argument for which they
// stand, and that the options do not have themselves.
func (o *Operation) splitNamed(args []any) (named, options Object) {
	last := len(args) - 1
	skipped, own := o.in.fields[last:len(o.in.fields)-1], o.in.fields[len(o.in.fields)-1].bare()
	for _, m := range args[last].(Object) {
		_, option := own.member(sideJS, m.Name)
		if option == nil && slices.ContainsFunc(skipped, func(f *field) bool { return f.names[sideJS] == m.Name }) {
			named = append(named, m)
		} else {
			options = append(options, m)
		}
	}
	return named, options
}

// BindTool makes the input of a tool call from its snake_case JSON: one object, in which
// the options stand flat beside the arguments. Nothing at all and null are the empty
// object; null for an optional member is its absence. Unknown members are refused. The
// error is invalid_argument.
func (o *Operation) BindTool(args json.RawMessage) (Input, *problem.Error) {
	tree, err := DecodeJSON(args)
	if err != nil {
		return Input{}, o.refuse(sideTool, &mismatch{note: "the arguments are " + err.Error()})
	}
	if tree == nil {
		tree = Object{}
	}
	members, ok := tree.(Object)
	if !ok {
		return Input{}, o.refuse(sideTool, &mismatch{expected: "an object of arguments", got: tree, came: true})
	}
	in := reflect.New(o.in.typ).Elem()
	own, options := members, Object(nil)
	if at := len(o.in.fields) - 1; at >= 0 && o.in.fields[at].options {
		own, options = o.splitOptions(members, o.in.fields[at])
		if options != nil || o.in.fields[at].required() {
			if wrong := setMember(in, o.in.fields[at], sideTool, options, true); wrong != nil {
				return Input{}, o.refuse(sideTool, wrong)
			}
		}
	}
	for _, f := range o.in.fields {
		if f.options {
			continue
		}
		value, given := own.get(f.names[sideTool])
		if wrong := setMember(in, f, sideTool, value, given); wrong != nil {
			return Input{}, o.refuse(sideTool, wrong)
		}
	}
	for _, m := range own {
		if _, f := o.in.member(sideTool, m.Name); f == nil || f.options {
			return Input{}, o.refuse(sideTool, &mismatch{unknown: m.Name, known: names(o.toolFields(), sideTool)})
		}
	}
	return Input{in}, nil
}

// splitOptions takes the members that belong to the options out of a tool's arguments.
func (o *Operation) splitOptions(members Object, options *field) (own, split Object) {
	for _, m := range members {
		if _, f := options.bare().member(sideTool, m.Name); f != nil {
			split = append(split, m)
		} else {
			own = append(own, m)
		}
	}
	return own, split
}

// setMember sets a struct's field to a value, or leaves it when an optional one is absent.
func setMember(in reflect.Value, f *field, on side, value any, given bool) *mismatch {
	if value == nil && !(given && (f.kind == kindAny || f.kind == kindRaw)) {
		if !f.required() {
			return nil
		}
		return &mismatch{path: f.pathOn(on), expected: f.expected(f.shape, on), came: given}
	}
	if wrong := set(in.FieldByIndex(f.index), f.shape, f, on, value); wrong != nil {
		return wrong.below(f.pathOn(on))
	}
	return nil
}

// pathOn is the field's name in messages. A tool's options are flat, they have none.
func (f *field) pathOn(on side) string {
	if f.options && on == sideTool {
		return ""
	}
	return f.names[on]
}

// set puts a plain value into dst, which has shape s. f is the field that says what
// strings and numbers are allowed, nil inside a map.
func set(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	switch s.kind {
	case kindAny:
		if value != nil {
			dst.Set(reflect.ValueOf(value))
		}
		return nil
	case kindRaw:
		raw, err := AppendJSON(nil, value)
		if err != nil {
			return &mismatch{expected: "a plain value", got: value, came: true}
		}
		dst.SetBytes(raw)
		return nil
	case kindPointer:
		if value == nil {
			return nil
		}
		dst.Set(reflect.New(s.elem.typ))
		return set(dst.Elem(), s.elem, f, on, value)
	case kindString:
		if text, ok := value.(string); ok {
			if text, ok = f.allowed(text); ok {
				dst.SetString(text)
				return nil
			}
		}
	case kindBool:
		if yes, ok := value.(bool); ok {
			dst.SetBool(yes)
			return nil
		}
	case kindInt:
		if n, ok := integer(value); ok && !dst.OverflowInt(n) && f.allowsNumber(float64(n)) {
			dst.SetInt(n)
			return nil
		}
	case kindFloat:
		if n, ok := number(value); ok && f.allowsNumber(n) {
			dst.SetFloat(n)
			return nil
		}
	case kindBytes:
		if data, ok := bytesOf(value, on); ok {
			dst.SetBytes(data)
			return nil
		}
	case kindList:
		return setList(dst, s, f, on, value)
	case kindMap:
		return setMap(dst, s, f, on, value)
	case kindStruct:
		return setStruct(dst, s, f, on, value)
	case kindVariant:
		return setVariant(dst, s, f, on, value)
	}
	return &mismatch{expected: f.expected(s, on), got: value, came: true}
}

func setList(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	if v := reflect.ValueOf(value); v.IsValid() && v.Type() == s.typ && f.unlimited() {
		dst.Set(v)
		return nil
	}
	switch items := value.(type) {
	case []any:
		if s.typ == gridType {
			return setGrid(dst, f, on, items)
		}
		list := reflect.MakeSlice(s.typ, len(items), len(items))
		for i, item := range items {
			if wrong := setItem(list.Index(i), s.elem, f, on, item); wrong != nil {
				return wrong.below("[" + strconv.Itoa(i) + "]")
			}
		}
		dst.Set(list)
		return nil
	case []string:
		plain := make([]any, len(items))
		for i, item := range items {
			plain[i] = item
		}
		return setList(dst, s, f, on, plain)
	case [][]any:
		plain := make([]any, len(items))
		for i, item := range items {
			plain[i] = item
		}
		return setList(dst, s, f, on, plain)
	}
	return &mismatch{expected: f.expected(s, on), got: value, came: true}
}

// setGrid takes the rows of a table over without a look at the cells.
func setGrid(dst reflect.Value, f *field, on side, items []any) *mismatch {
	grid := make([][]any, len(items))
	for i, item := range items {
		row, ok := item.([]any)
		if !ok {
			wrong := &mismatch{expected: "an array of values", got: item, came: true}
			return wrong.below("[" + strconv.Itoa(i) + "]")
		}
		grid[i] = row
	}
	dst.Set(reflect.ValueOf(grid))
	return nil
}

func setMap(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	members, ok := value.(Object)
	if !ok {
		return &mismatch{expected: f.expected(s, on), got: value, came: true}
	}
	into := reflect.MakeMapWithSize(s.typ, len(members))
	for _, m := range members {
		item := reflect.New(s.elem.typ).Elem()
		if wrong := setItem(item, s.elem, f, on, m.Value); wrong != nil {
			return wrong.below(memberPath(m.Name))
		}
		into.SetMapIndex(reflect.ValueOf(m.Name).Convert(s.typ.Key()), item)
	}
	dst.Set(into)
	return nil
}

// setItem sets an element of a list or map, where only pointers and free values may be null.
func setItem(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	if value == nil && s.kind != kindPointer && s.kind != kindAny && s.kind != kindRaw {
		return &mismatch{expected: f.expected(s, on), came: true}
	}
	return set(dst, s, f, on, value)
}

func setStruct(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	members, ok := value.(Object)
	if !ok {
		return &mismatch{expected: f.expected(s, on), got: value, came: true}
	}
	var seen uint64
	for _, m := range members {
		i, g := s.member(on, m.Name)
		if g == nil {
			return &mismatch{unknown: m.Name, known: names(s.fields, on)}
		}
		seen |= 1 << i
		if wrong := setMember(dst, g, on, m.Value, true); wrong != nil {
			return wrong
		}
	}
	for i, g := range s.fields {
		if seen&(1<<i) == 0 && g.required() {
			return &mismatch{path: g.names[on], expected: g.expected(g.shape, on)}
		}
	}
	return nil
}

// integer gives a number that is whole and fits, without rounding.
func integer(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case int:
		return int64(n), true
	case float64:
		whole := n == math.Trunc(n) && n >= math.MinInt64 && n < math.MaxInt64
		return int64(n), whole
	}
	return 0, false
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	}
	return 0, false
}

// bytesOf gives bytes that came as such, or as base64 with or without padding.
func bytesOf(value any, on side) ([]byte, bool) {
	switch data := value.(type) {
	case []byte:
		return data, on == sideJS
	case string:
		if decoded, err := base64.StdEncoding.DecodeString(data); err == nil {
			return decoded, true
		}
		decoded, err := base64.RawStdEncoding.DecodeString(data)
		return decoded, err == nil
	}
	return nil, false
}
