package lang

import "github.com/dop251/goja"

// maker makes a global when a script first names it.
type maker = func(*realm) goja.Value

// added are the globals that goja lacks, by what they belong to.
var added = map[string]maker{
	"structuredClone":      adder("structuredClone", 1, structuredClone),
	"atob":                 adder("atob", 1, atob),
	"btoa":                 adder("btoa", 1, btoa),
	"TextEncoder":          makeText("TextEncoder"),
	"TextDecoder":          makeText("TextDecoder"),
	"URL":                  makeURL("URL"),
	"URLSearchParams":      makeURL("URLSearchParams"),
	"Iterator":             makeIterator,
	"WeakRef":              makeWeak("WeakRef"),
	"FinalizationRegistry": makeWeak("FinalizationRegistry"),
	"Event":                makeAbort("Event"),
	"EventTarget":          makeAbort("EventTarget"),
	"AbortSignal":          makeAbort("AbortSignal"),
	"AbortController":      makeAbort("AbortController"),
	"performance":          makePerformance,
	"crypto":               makeCrypto,
	"Intl":                 makeIntl,
	"DOMException":         makeDOMException,
	"parseCSV":             adder("parseCSV", 2, parseCSV),
	"toCSV":                adder("toCSV", 2, toCSV),
}

// amended are the globals of goja that lack members.
var amended = map[string]func(*realm, *goja.Object) goja.Value{
	"Object":  amendObject,
	"Map":     amendMap,
	"RegExp":  amendRegExp,
	"Promise": amendPromise,
	"Array":   amendArray,
	"Error":   amendError,
	"JSON":    amendJSON,
	"Symbol":  amendSymbol,
}
