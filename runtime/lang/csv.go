package lang

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// csvOptions are the options of parseCSV.
type csvOptions struct {
	dialect
	header  bool
	columns []string
	types   bool
	limit   int
}

// parseCSV(text, options?) answers an array of objects keyed by the first row's cells, or
// of arrays with header: false.
//
// Options, with their defaults: delimiter (one character; found from the first lines among
// comma, semicolon, tab and bar), header (true; false; or an array of names for a
// text without a header), quote ('"'; "" for none), trim (false), skipEmpty (true: lines
// without content are left out), types (false; true turns unquoted cells that are numbers,
// true, false or empty into number, boolean and null), limit (rows, all).
func parseCSV(r *realm, call goja.FunctionCall) goja.Value {
	input := call.Argument(0)
	if !goja.IsString(input) {
		hint := ""
		if object, ok := input.(*goja.Object); ok {
			hint = "; pass the text itself, as in parseCSV((await files.readText(id)).content)"
			if object.ExportType() == promiseType {
				hint = "; await it first"
			}
		}
		r.invalid("parseCSV: text must be a string, but %s came%s", r.show(input), hint)
	}
	src := strings.TrimPrefix(input.String(), "\uFEFF")
	options := r.csvOptions(call.Argument(1))
	if options.delimiter == "" {
		options.delimiter = guessDelimiter(src, options.quote)
	}
	reader := csvReader{dialect: options.dialect, src: src}
	rows := csvRows{realm: r, options: options, interned: map[string]goja.Value{}}
	for options.limit < 0 || len(rows.list) < options.limit {
		row, ok, open := reader.next()
		if open >= 0 {
			line := 1 + strings.Count(src[:open], "\n")
			r.invalid("parseCSV: the quoted cell that begins in line %d never ends", line)
		}
		if !ok {
			break
		}
		rows.add(row)
	}
	return r.vm.NewArray(rows.list...)
}

// csvRows makes JavaScript rows.
type csvRows struct {
	*realm
	options  csvOptions
	names    []string
	list     []any
	interned map[string]goja.Value // short cells come again and again
}

func (rows *csvRows) add(row []cell) {
	switch {
	case rows.names == nil && rows.options.columns != nil:
		rows.names = rows.options.columns
	case rows.names == nil && rows.options.header:
		rows.names = headerNames(row)
		return
	}
	if rows.names == nil {
		values := make([]any, len(row))
		for i, cell := range row {
			values[i] = rows.value(cell)
		}
		rows.list = append(rows.list, rows.vm.NewArray(values...))
		return
	}
	object := rows.vm.NewObject()
	for i, name := range rows.names {
		var value goja.Value
		switch {
		case i < len(row):
			value = rows.value(row[i])
		case rows.options.types:
			value = goja.Null()
		default:
			value = rows.value(cell{})
		}
		rows.put(object, name, value)
	}
	for i := len(rows.names); i < len(row); i++ { // a longer row keeps its surplus
		rows.put(object, "column_"+strconv.Itoa(i+1), rows.value(row[i]))
	}
	rows.list = append(rows.list, object)
}

// put defines rather than sets, so that neither a header named __proto__ nor a setter on
// Object.prototype has a say.
func (rows *csvRows) put(object *goja.Object, name string, value goja.Value) {
	object.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// headerNames gives every column a name of its own: empty ones are called column_N, and a
// second "amount" becomes "amount_2".
func headerNames(row []cell) []string {
	names := make([]string, len(row))
	taken := make(map[string]bool, len(row))
	for i, cell := range row {
		name := strings.TrimSpace(cell.text)
		if name == "" {
			name = "column_" + strconv.Itoa(i+1)
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		taken[unique] = true
		names[i] = unique
	}
	return names
}

func (rows *csvRows) value(cell cell) goja.Value {
	if rows.options.types && !cell.quoted {
		if value := typedCell(rows.vm, cell.text); value != nil {
			return value
		}
	}
	if len(cell.text) > 24 {
		return rows.vm.ToValue(cell.text)
	}
	value, ok := rows.interned[cell.text]
	if !ok {
		value = rows.vm.ToValue(cell.text)
		if len(rows.interned) < 10_000 {
			rows.interned[cell.text] = value
		}
	}
	return value
}

// typedCell gives the number, boolean or null that an unquoted cell is, or nil if it is
// text. Numbers that would not come back as they were written stay text: 007, +49, 1e5,
// and integers beyond 2^53, which are codes more often than amounts.
func typedCell(vm *goja.Runtime, text string) goja.Value {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return goja.Null()
	case "true", "TRUE", "True":
		return vm.ToValue(true)
	case "false", "FALSE", "False":
		return vm.ToValue(false)
	case "null", "NULL":
		return goja.Null()
	}
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > 17 || digits == "" || digits[0] < '0' || digits[0] > '9' || digits[len(digits)-1] == '.' {
		return nil
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return nil
	}
	for i := range len(digits) {
		if (digits[i] < '0' || digits[i] > '9') && digits[i] != '.' {
			return nil
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n == 0 && text[0] == '-' || n > 1<<53 || n < -1<<53 {
			return nil
		}
		return vm.ToValue(n)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return vm.ToValue(n)
}

func (r *realm) csvOptions(v goja.Value) csvOptions {
	o := r.options("parseCSV", v, "delimiter", "header", "quote", "trim", "skipEmpty", "types", "limit")
	options := csvOptions{
		dialect: dialect{
			delimiter: o.character("delimiter", ""),
			trim:      o.flag("trim", false),
			skipEmpty: o.flag("skipEmpty", true),
		},
		header: true,
		types:  o.flag("types", false),
		limit:  o.count("limit", -1),
	}
	if quote := o.character("quote", `"`); quote != "" {
		if len(quote) > 1 {
			r.invalid("parseCSV: options.quote must be an ASCII character, but %q came", quote)
		}
		options.quote = quote[0]
	}
	switch header := o.members["header"].(type) {
	case nil:
	case *goja.Object:
		options.columns = []string{}
		r.vm.ForOf(header, func(name goja.Value) bool {
			options.columns = append(options.columns, name.String())
			return true
		})
	default:
		options.header = o.flag("header", true)
	}
	if options.delimiter != "" && (options.delimiter == "\n" || options.delimiter == "\r" || options.quote != 0 && options.delimiter[0] == options.quote) {
		r.invalid("parseCSV: options.delimiter cannot be a line end or the quote")
	}
	return options
}
