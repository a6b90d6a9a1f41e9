// Package lang adds what scripts expect of JavaScript and goja lacks or gets silently
// wrong: structuredClone, text encoding, URL, base64, grouping, iterator helpers,
// crypto, Intl and the toLocaleString family, \p{…} in regular expressions, parseCSV
// and toCSV.
//
// Install costs a few microseconds per runtime: a global is made when a script first
// names it. What goja has and gets right is left alone. What is not supported throws a
// RangeError that says so, rather than answering something wrong.
//
// Classes are small JavaScript shells in js/, compiled once per process and run once per
// runtime that needs them; the work is in Go. They keep their state in private fields, so
// that a script can neither reach nor forge it.
//
// # What differs from V8
//
//   - Intl has the locales of locales/ and refuses others; hour12: false counts hours from 0
//     in every locale.
//   - WeakRef holds its target, and FinalizationRegistry never calls back.
//   - The source of a regular expression that had to be translated shows the translation,
//     and a literal's constructor is RegExp only once the script has named RegExp. eval and
//     Function parse literals that nothing translates.
//   - \b takes letters beyond ASCII for letters where goja uses its backtracking matcher.
//     The d flag is refused.
//
// Imports problem and nothing else of this module. Start reading at Install.
package lang
