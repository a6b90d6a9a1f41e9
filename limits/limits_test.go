package limits_test

import (
	"reflect"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
)

// Every field of Limits must have a default, take it when zero or negative, and be held
// to what the operator allows; a field that somebody adds and forgets fails here.
func TestEveryLimitLimits(t *testing.T) {
	def := reflect.ValueOf(limits.Default())
	for i := range def.NumField() {
		name := def.Type().Field(i).Name
		if def.Field(i).Int() <= 0 {
			t.Errorf("%s has no default", name)
		}
		for _, unset := range []int64{0, -1} {
			var l limits.Limits
			reflect.ValueOf(&l).Elem().Field(i).SetInt(unset)
			if got := reflect.ValueOf(l.Or(limits.Default())).Field(i).Int(); got != def.Field(i).Int() {
				t.Errorf("%s: %d becomes %d, want the default %d", name, unset, got, def.Field(i).Int())
			}
		}
		var ask limits.Limits
		reflect.ValueOf(&ask).Elem().Field(i).SetInt(def.Field(i).Int() * 2)
		if got := reflect.ValueOf(ask.Within(limits.Default())).Field(i).Int(); got != def.Field(i).Int() {
			t.Errorf("%s: asking for twice the limit gives %d, want %d", name, got, def.Field(i).Int())
		}
		reflect.ValueOf(&ask).Elem().Field(i).SetInt(1)
		if got := reflect.ValueOf(ask.Within(limits.Default())).Field(i).Int(); got != 1 {
			t.Errorf("%s: asking for less gives %d, want 1", name, got)
		}
	}
}
