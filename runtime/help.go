package runtime

import "github.com/dop251/goja"

// help is the function of that name: without an argument it lists what there is, with a
// name it describes that operation, with other words it searches. It answers text.
func (i *isolate) help(call goja.FunctionCall) goja.Value {
	query := ""
	switch v := call.Argument(0); kindOf(v) {
	case kindUndefined, kindNull:
	case kindFunction:
		query = v.(*goja.Object).Get("name").String() // help(files.readText)
	case kindNamespace:
		query = v.Export().(*namespace).name // help(files)
	default:
		query = v.String()
	}
	return i.vm.ToValue(i.cfg.Table.Help(query))
}
