package op

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"time"
)

// ResultJS gives an Out as the plain value that the JavaScript function answers: nil,
// bool, int64, float64, string, []byte, []any, []string, [][]any or Object. It shares
// what it can with out, so it must be read before out changes.
func (o *Operation) ResultJS(out any) any {
	v := reflect.ValueOf(out)
	for _, f := range o.out.fields {
		if f.result {
			return must(view{on: sideJS}.value(v.FieldByIndex(f.index), f.shape))
		}
	}
	return must(view{on: sideJS}.value(v, o.out))
}

// must panics when an operation answers what has no plain form, such as a channel in a
// field of type any: a mistake of the program.
func must(value any, err error) any {
	if err != nil {
		panic("op: " + err.Error())
	}
	return value
}

// ResultTool gives an Out as the tool's JSON: the whole struct, with [] and {} for empty
// lists and maps, and readable text without HTML escapes.
func (o *Operation) ResultTool(out any) (json.RawMessage, error) {
	tree, err := view{on: sideTool}.value(reflect.ValueOf(out), o.out)
	if err != nil {
		return nil, err
	}
	return AppendJSON(nil, tree)
}

// view turns Go values into plain ones for a side.
type view struct {
	on    side
	depth int
}

func (w view) value(v reflect.Value, s *shape) (any, error) {
	if w.depth++; w.depth > maxDepth {
		return nil, errDepth
	}
	switch s.kind {
	case kindString:
		return v.String(), nil
	case kindBool:
		return v.Bool(), nil
	case kindInt:
		return v.Int(), nil
	case kindFloat:
		return v.Float(), nil
	case kindRaw:
		if w.on == sideTool {
			return json.RawMessage(v.Bytes()), nil // as it is, to the last digit
		}
		return DecodeJSON(v.Bytes())
	case kindAny:
		return w.free(v.Interface())
	case kindBytes:
		return w.bytes(v.Bytes()), nil
	case kindPointer:
		if v.IsNil() {
			return nil, nil
		}
		return w.value(v.Elem(), s.elem)
	case kindList:
		return w.list(v, s)
	case kindMap:
		return w.object(v, s)
	}
	members := make(Object, 0, len(s.fields))
	for _, f := range s.fields {
		fv := v.FieldByIndex(f.index)
		if f.omitZero && fv.IsZero() || f.omitEmpty && empty(fv) {
			continue
		}
		value, err := w.value(fv, f.shape)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.names[w.on], err)
		}
		members = append(members, Member{f.names[w.on], value})
	}
	return members, nil
}

// empty is what encoding/json leaves out for omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (w view) bytes(data []byte) any {
	if w.on == sideTool {
		return base64.StdEncoding.EncodeToString(data)
	}
	if data == nil {
		return []byte{}
	}
	return data
}

func (w view) list(v reflect.Value, s *shape) (any, error) {
	switch {
	case s.typ == gridType:
		return w.grid(v.Interface().([][]any))
	case s.typ == reflect.TypeFor[[]any]():
		return w.row(v.Interface().([]any))
	case s.typ == reflect.TypeFor[[]string]():
		if v.IsNil() {
			return []string{}, nil
		}
		return v.Interface(), nil
	}
	items := make([]any, v.Len())
	for i := range items {
		item, err := w.value(v.Index(i), s.elem)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		items[i] = item
	}
	return items, nil
}

func (w view) object(v reflect.Value, s *shape) (any, error) {
	members := make(Object, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		value, err := w.value(it.Value(), s.elem)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", it.Key(), err)
		}
		members = append(members, Member{it.Key().String(), value})
	}
	sort.Slice(members, func(i, j int) bool { return members[i].Name < members[j].Name })
	return members, nil
}

// free makes what an operation put into a field of type any plain.
func (w view) free(value any) (any, error) {
	if w.depth++; w.depth > maxDepth {
		return nil, errDepth
	}
	switch v := value.(type) {
	case nil, bool, int64, float64, string:
		return v, nil
	case int:
		return int64(v), nil
	case []byte:
		return w.bytes(v), nil
	case []any:
		return w.row(v)
	case [][]any:
		return w.grid(v)
	case Object:
		members := make(Object, len(v))
		for i, m := range v {
			inner, err := w.free(m.Value)
			if err != nil {
				return nil, err
			}
			members[i] = Member{m.Name, inner}
		}
		return members, nil
	case json.Number:
		return plainNumber(v)
	case time.Time:
		return v.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	}
	s, err := shapeOf(reflect.TypeOf(value))
	if err != nil {
		return nil, err
	}
	return w.value(reflect.ValueOf(value), s)
}

// grid and row share a table whose cells are all plain, which costs a glance at each,
// and copy the rows where they are not.
func (w view) grid(rows [][]any) (any, error) {
	if rows == nil {
		return [][]any{}, nil
	}
	shared := true
	for i, row := range rows {
		made, err := w.row(row)
		if err != nil {
			return nil, err
		}
		cells := made.([]any)
		same := row != nil && (len(row) == 0 || &cells[0] == &row[0])
		if !same && shared {
			rows, shared = append([][]any(nil), rows...), false
		}
		rows[i] = cells
	}
	return rows, nil
}

func (w view) row(cells []any) (any, error) {
	if cells == nil {
		return []any{}, nil
	}
	shared := true
	for i, cell := range cells {
		switch cell.(type) {
		case nil, bool, int64, float64, string:
			continue
		}
		made, err := w.free(cell)
		if err != nil {
			return nil, err
		}
		if shared {
			cells, shared = append([]any(nil), cells...), false
		}
		cells[i] = made
	}
	return cells, nil
}
