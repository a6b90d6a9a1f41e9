// Package pdf holds the operations of files.pdf.*.
//
// Reading, rendering, forms and the repair of damaged files are PDFium's, by the binding
// in pdfium/; what assembles and writes is pdfcpu's for the most part. Either way a file is
// opened by open.go and saved by save.go, which also have the limits and the errors. The
// plain text of ordinary documents is read by plaintext/ without either (plain.go).
//
// Pages are counted from 1 in what operations take and answer and from 0 inside. Places
// are points from the bottom-left corner of the page as a person sees it: of its crop
// box, after its rotation.
//
// Imports op, host, problem, limits, engine, pdfcpu and the packages below. Start reading
// at Operations, then at view in open.go and edit in save.go.
package pdf

//go:generate go run ./hostile/makehostile ../../../testdata/hostile
