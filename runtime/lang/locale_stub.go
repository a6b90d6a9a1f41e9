package lang

import "github.com/dop251/goja"

func (r *realm) numberToLocaleString(this goja.Value, args []goja.Value) goja.Value { return nil }
func (r *realm) bigintToLocaleString(this goja.Value, args []goja.Value) goja.Value { return nil }
func (r *realm) dateToLocaleString(this goja.Value, args []goja.Value, required, defaults string) goja.Value {
	return nil
}
func (r *realm) localeCompare(this goja.Value, args []goja.Value) goja.Value          { return nil }
func (r *realm) localeCase(this goja.Value, args []goja.Value, upper bool) goja.Value { return nil }
