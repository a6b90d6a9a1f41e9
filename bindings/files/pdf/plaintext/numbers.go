package plaintext

// Numbers reads numbers out of a file's objects.
type Numbers struct{ file }

// OpenNumbers opens a file for its numbers. Errors are ErrUnsure, wrapped.
func OpenNumbers(data []byte, opts Options) (n *Numbers, err error) {
	opts = opts.complete()
	n = &Numbers{}
	n.data, n.most, n.budget, n.values = data, opts.MaxBytes, 8*opts.MaxBytes, maxValues
	defer catch(&err)
	n.readTables()
	return n, nil
}

// Inherited is the whole number that an object's dictionary has for a key, or that of its
// Parent; 0 if there is none, or it cannot be read.
func (n *Numbers) Inherited(object int, key Name) (value int) {
	var err error
	defer func() {
		if err != nil {
			value = 0
		}
	}()
	defer catch(&err)
	dict, _ := n.get(Ref(object)).(Dict)
	for range maxForms {
		if o := n.get(dict[key]); o != nil {
			return n.number(o, 0)
		}
		if dict, _ = n.get(dict["Parent"]).(Dict); dict == nil {
			break
		}
	}
	return 0
}
