package lang

import (
	"strings"

	"github.com/dop251/goja"
)

// csvFormat is how toCSV writes.
type csvFormat struct {
	delimiter string
	newline   string
	bom       bool
	header    bool
	columns   []string // of objects; nil is the keys of all rows, in the order they appear
	quoteAll  bool
	safe      bool
}

// toCSV(rows, options?) answers the text of an array of objects or of arrays. Every line
// ends with the newline.
//
// Options, with their defaults: delimiter (","), newline ("\n"), bom (false; true for
// Excel), header (true: objects' keys make the first line), columns (which keys, in which
// order), quoteAll (false), safe (false; true puts an apostrophe before text that a
// spreadsheet would run as a formula).
//
// null and undefined are empty, dates are ISO 8601, objects and arrays JSON.
func toCSV(r *realm, call goja.FunctionCall) goja.Value {
	list, ok := call.Argument(0).(*goja.Object)
	if !ok || goja.IsUndefined(list.GetSymbol(goja.SymIterator)) || list.GetSymbol(goja.SymIterator) == nil {
		r.invalid("toCSV: rows must be an array of objects or of arrays, but %s came", r.show(call.Argument(0)))
	}
	w := csvWriter{realm: r, format: r.csvFormat(call.Argument(1))}
	if w.format.bom {
		w.out.WriteString("\uFEFF")
	}
	var rows []*goja.Object
	r.vm.ForOf(list, func(v goja.Value) bool {
		row, ok := v.(*goja.Object)
		if !ok {
			r.invalid("toCSV: row %d must be an object or an array, but %s came", len(rows)+1, r.show(v))
		}
		rows = append(rows, row)
		return true
	})
	columns := w.format.columns
	if columns == nil {
		columns = columnsOf(rows)
	}
	if len(columns) > 0 && w.format.header && (len(rows) == 0 || !isArray(rows[0]) || w.format.columns != nil) {
		w.names(columns)
	}
	for _, row := range rows {
		if isArray(row) {
			w.array(row)
		} else {
			w.object(row, columns)
		}
	}
	return r.vm.ToValue(w.out.String())
}

func isArray(object *goja.Object) bool { return object.ClassName() == "Array" }

// columnsOf lists the keys of all objects in the order of their first appearance.
func columnsOf(rows []*goja.Object) (columns []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		if isArray(row) {
			continue
		}
		for _, key := range row.Keys() {
			if !seen[key] {
				seen[key] = true
				columns = append(columns, key)
			}
		}
	}
	return columns
}

type csvWriter struct {
	*realm
	format csvFormat
	out    strings.Builder
	cells  int // of the line so far
	empty  bool
}

func (w *csvWriter) names(columns []string) {
	for _, name := range columns {
		w.cell(name, true)
	}
	w.end()
}

func (w *csvWriter) array(row *goja.Object) {
	w.vm.ForOf(row, func(v goja.Value) bool {
		w.value(v)
		return true
	})
	w.end()
}

func (w *csvWriter) object(row *goja.Object, columns []string) {
	for _, name := range columns {
		w.value(row.Get(name))
	}
	w.end()
}

func (w *csvWriter) value(v goja.Value) {
	switch {
	case v == nil || goja.IsUndefined(v) || goja.IsNull(v):
		w.cell("", false)
	case goja.IsString(v):
		w.cell(v.String(), true)
	default:
		object, ok := v.(*goja.Object)
		if !ok {
			w.cell(v.String(), false)
			return
		}
		w.cell(w.objectText(object), true)
	}
}

// objectText is a date's ISO form and the JSON of anything else.
func (w *csvWriter) objectText(object *goja.Object) string {
	if object.ClassName() == "Date" {
		if at := object.Export(); at == nil {
			return ""
		}
		return w.call(w.member("Date", "toISOString"), object).String()
	}
	text := w.call(w.intrinsic("JSON").Get("stringify"), goja.Undefined(), object)
	if goja.IsUndefined(text) {
		return ""
	}
	return strings.Trim(text.String(), `"`)
}

// cell writes one cell; text tells whether it came from a string, which alone can be a
// formula or need quoteAll's quotes.
func (w *csvWriter) cell(s string, text bool) {
	if w.cells > 0 {
		w.out.WriteString(w.format.delimiter)
	}
	w.cells++
	w.empty = s == ""
	if text && w.format.safe && isFormula(s) {
		s = "'" + s
	}
	if w.format.quoteAll || strings.ContainsAny(s, "\"\r\n") || strings.Contains(s, w.format.delimiter) || s != "" && (s[0] == ' ' || s[len(s)-1] == ' ') {
		w.out.WriteByte('"')
		w.out.WriteString(strings.ReplaceAll(s, `"`, `""`))
		w.out.WriteByte('"')
		return
	}
	w.out.WriteString(s)
}

// isFormula follows https://owasp.org/www-community/attacks/CSV_Injection.
func isFormula(s string) bool {
	return s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0]))
}

// end ends a line. One that is a single empty cell is written as "", since an empty line
// is no row to most readers.
func (w *csvWriter) end() {
	if w.cells == 1 && w.empty && !w.format.quoteAll {
		w.out.WriteString(`""`)
	}
	w.out.WriteString(w.format.newline)
	w.cells = 0
}

func (r *realm) csvFormat(v goja.Value) csvFormat {
	o := r.options("toCSV", v, "delimiter", "newline", "bom", "header", "columns", "quoteAll", "safe")
	format := csvFormat{
		delimiter: o.character("delimiter", ","),
		newline:   "\n",
		bom:       o.flag("bom", false),
		header:    o.flag("header", true),
		quoteAll:  o.flag("quoteAll", false),
		safe:      o.flag("safe", false),
	}
	if newline, ok := o.members["newline"]; ok {
		format.newline = newline.String()
		if format.newline != "\n" && format.newline != "\r\n" && format.newline != "\r" {
			r.invalid(`toCSV: options.newline must be "\n", "\r\n" or "\r", but %s came`, r.show(newline))
		}
	}
	if format.delimiter == "" || strings.ContainsAny(format.delimiter, "\"\r\n") {
		r.invalid("toCSV: options.delimiter must be one character that is neither a quote nor a line end")
	}
	if columns, ok := o.members["columns"].(*goja.Object); ok {
		format.columns = []string{}
		r.vm.ForOf(columns, func(name goja.Value) bool {
			format.columns = append(format.columns, name.String())
			return true
		})
	}
	return format
}
