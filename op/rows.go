package op

// row is a line of a table of arguments or of results.
type row struct {
	js, tool string // the path on each side: options.startLine, start_line
	kind     string // what it is, in words
	required bool
	doc      string
}

func (r row) describe() string {
	text := r.kind
	if !r.required {
		text += ", optional"
	}
	if r.doc != "" {
		text += ". " + r.doc
	}
	return text
}

// argumentRows lists the arguments, with the options and the members of objects below them.
func (o *Operation) argumentRows() []row {
	var rows []row
	for _, f := range o.in.fields {
		if !f.options {
			rows = f.rows(rows, "", "", taken)
			continue
		}
		for _, g := range f.bare().fields {
			rows = g.rows(rows, f.names[sideJS]+".", "", taken)
		}
	}
	return rows
}

// resultRows lists what the operation answers. A result that stands alone in JavaScript
// has no path there.
func (o *Operation) resultRows() []row {
	var rows []row
	for _, f := range o.out.fields {
		if f.result {
			return f.rowsBelow(nil, "", f.names[sideTool], answered)
		}
	}
	for _, f := range o.out.fields {
		rows = f.rows(rows, "", "", answered)
	}
	return rows
}

func (f *field) rows(rows []row, js, tool string, way direction) []row {
	js, tool = js+f.names[sideJS], tool+f.names[sideTool]
	kind := f.expected(f.shape, sideJS)
	if f.kind == kindAny || f.kind == kindRaw {
		kind = "any value"
	}
	rows = append(rows, row{js, tool, kind, way == taken && f.required() || way == answered && !f.optional, f.doc})
	return f.rowsBelow(rows, js, tool, way)
}

// rowsBelow lists the members of the objects that a field holds.
func (f *field) rowsBelow(rows []row, js, tool string, way direction) []row {
	s := f.shape
	for s.elem != nil {
		switch s.kind {
		case kindList:
			js, tool = js+"[]", tool+"[]"
		case kindMap:
			js, tool = js+"[name]", tool+"[name]"
		}
		s = s.elem
	}
	if s.kind != kindStruct {
		return rows
	}
	if js != "" {
		js += "."
	}
	for _, g := range s.fields {
		rows = g.rows(rows, js, tool+".", way)
	}
	return rows
}
