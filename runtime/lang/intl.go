package lang

import (
	"sort"
	"time"

	"github.com/dop251/goja"
)

var intlShell = shell("intl")

// makeIntl gives Intl, whose classes are shells around the formats of this package.
func makeIntl(r *realm) goja.Value {
	return r.run(intlShell(), r.bag(map[string]any{
		"NumberFormat": func(call goja.FunctionCall) goja.Value {
			f := r.newNumberFormat(call.Argument(0), call.Argument(1))
			return r.formatter(f.resolved, func(call goja.FunctionCall) []part { return f.parts(r.numeric(call.Argument(0))) }, nil)
		},
		"DateTimeFormat": func(call goja.FunctionCall) goja.Value {
			f := r.newDateFormat(call.Argument(0), call.Argument(1), "any", "date")
			instant := func(call goja.FunctionCall) time.Time {
				at, ok := r.instant(call.Argument(0))
				if !ok {
					panic(r.rangeError("Invalid time value"))
				}
				return at
			}
			return r.bag(map[string]any{
				"format":   func(call goja.FunctionCall) goja.Value { return r.vm.ToValue(f.format(r, instant(call))) },
				"parts":    func(call goja.FunctionCall) goja.Value { return r.partsValue(f.parts(r, instant(call)), nil) },
				"resolved": func(goja.FunctionCall) goja.Value { return f.resolved(r) },
			})
		},
		"ListFormat": func(call goja.FunctionCall) goja.Value {
			f := r.newListFormat(call.Argument(0), call.Argument(1))
			return r.formatter(f.resolved, func(call goja.FunctionCall) []part { return f.parts(r.strings(call.Argument(0))) }, nil)
		},
		"RelativeTimeFormat": func(call goja.FunctionCall) goja.Value {
			f := r.newRelativeFormat(call.Argument(0), call.Argument(1))
			return r.formatter(f.resolved, func(call goja.FunctionCall) []part { return f.parts(r, call.Argument(0), call.Argument(1)) },
				func(call goja.FunctionCall) func(part, *goja.Object) {
					unit := call.Argument(1).String()
					if n := len(unit); n > 0 && unit[n-1] == 's' {
						unit = unit[:n-1]
					}
					return func(p part, o *goja.Object) {
						if p.kind != "literal" {
							o.Set("unit", unit)
						}
					}
				})
		},
		"PluralRules": func(call goja.FunctionCall) goja.Value {
			p := r.newPluralRules(call.Argument(0), call.Argument(1))
			return r.formatter(p.resolved, func(call goja.FunctionCall) []part {
				return []part{{"literal", p.choose(r.numeric(call.Argument(0)))}}
			}, nil)
		},
		"Collator": func(call goja.FunctionCall) goja.Value {
			c := r.newCollator(call.Argument(0), call.Argument(1))
			return r.bag(map[string]any{
				"compare": func(call goja.FunctionCall) goja.Value {
					return r.vm.ToValue(c.compare(call.Argument(0).String(), call.Argument(1).String()))
				},
				"resolved": func(goja.FunctionCall) goja.Value { return c.resolved(r) },
			})
		},
		"Segmenter": func(call goja.FunctionCall) goja.Value {
			name, _ := r.locale(call.Argument(0))
			o := r.intlOptions("Intl.Segmenter", call.Argument(1))
			return r.vm.NewArray(name, o.oneOf("granularity", "grapheme", "grapheme", "word", "sentence"))
		},
		"segment":   r.segment,
		"canonical": r.canonicalLocales,
		"supported": r.supportedLocales,
		"refuse": func(call goja.FunctionCall) goja.Value {
			panic(r.unsupported("%s", call.Argument(0).String()))
		},
		"values": r.supportedValues,
	}))
}

// formatter is what a shell keeps of a format: format, parts and resolved. More adds
// members to the parts of one call.
func (r *realm) formatter(resolved func(*realm) goja.Value, parts func(goja.FunctionCall) []part, more func(goja.FunctionCall) func(part, *goja.Object)) goja.Value {
	return r.bag(map[string]any{
		"format": func(call goja.FunctionCall) goja.Value { return r.vm.ToValue(joinParts(parts(call))) },
		"parts": func(call goja.FunctionCall) goja.Value {
			list := parts(call)
			if more != nil {
				return r.partsValue(list, more(call))
			}
			return r.partsValue(list, nil)
		},
		"resolved": func(goja.FunctionCall) goja.Value { return resolved(r) },
	})
}

func (r *realm) canonicalLocales(call goja.FunctionCall) goja.Value {
	return r.stringArray(r.requested(call.Argument(0)))
}

// supportedLocales keeps the locales that there is data for.
func (r *realm) supportedLocales(call goja.FunctionCall) goja.Value {
	var list []string
	for _, name := range r.requested(call.Argument(0)) {
		key := name
		if long, ok := regions[key]; ok {
			key = long
		}
		if _, ok := locales()[key]; ok {
			list = append(list, name)
		}
	}
	return r.stringArray(list)
}

func (r *realm) supportedValues(call goja.FunctionCall) goja.Value {
	data := locales()[defaultLocale]()
	var list []string
	switch key := call.Argument(0).String(); key {
	case "calendar":
		list = []string{"gregory"}
	case "collation":
		list = []string{"default"}
	case "numberingSystem":
		list = []string{"latn"}
	case "currency":
		for code := range data.Numbers.Currencies {
			list = append(list, code)
		}
	case "unit":
		for unit := range data.Numbers.Units {
			list = append(list, unit)
		}
	case "timeZone":
		for zone := range data.Dates.Zones.Of {
			list = append(list, zone)
		}
	default:
		panic(r.rangeError("Invalid key : %s", key))
	}
	sort.Strings(list)
	return r.stringArray(list)
}

func (r *realm) stringArray(list []string) goja.Value {
	values := make([]any, len(list))
	for i, s := range list {
		values[i] = s
	}
	return r.vm.NewArray(values...)
}
