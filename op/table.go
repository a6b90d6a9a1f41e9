package op

import "strings"

// Table is the list of operations, in the order of the reference.
type Table []Operation

// Lookup finds an operation by its JavaScript name.
func (t Table) Lookup(name string) (*Operation, bool) {
	for i := range t {
		if t[i].Name == name {
			return &t[i], true
		}
	}
	return nil, false
}

// LookupTool finds an operation by its tool name.
func (t Table) LookupTool(name string) (*Operation, bool) {
	for i := range t {
		if t[i].Tool == name {
			return &t[i], true
		}
	}
	return nil, false
}

// space is the namespace that the operation lives in: files.spreadsheet, or "".
func (o *Operation) space() string {
	if dot := strings.LastIndexByte(o.Name, '.'); dot >= 0 {
		return o.Name[:dot]
	}
	return ""
}

// own is the operation's name inside its namespace.
func (o *Operation) own() string { return o.Name[strings.LastIndexByte(o.Name, '.')+1:] }

// spaces lists the namespaces around the operation, outermost first.
func (o *Operation) spaces() []string {
	var spaces []string
	for i, c := range o.Name {
		if c == '.' {
			spaces = append(spaces, o.Name[:i])
		}
	}
	return spaces
}
