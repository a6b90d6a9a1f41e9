// Package bindings is the explicit list of everything that a script or a tool can call.
// Each namespace is a package below it; a new operation is one line in its list.
//
// Imports op and the namespaces. Start reading at Table.
package bindings

import (
	"slices"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/db"
	"github.com/sandboxd/sandboxd/bindings/files"
	"github.com/sandboxd/sandboxd/bindings/files/image"
	"github.com/sandboxd/sandboxd/bindings/files/image/vips"
	"github.com/sandboxd/sandboxd/bindings/files/pdf"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet"
	"github.com/sandboxd/sandboxd/bindings/state"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
)

// Engines are the libraries outside the binary that operations use.
func Engines() []engine.Engine {
	return []engine.Engine{pdfium.Engine(), fonts.Engine(), vips.Engine()}
}

// Table is the operation table of sandboxd, in the order of the reference. It must not
// be changed.
var Table = sync.OnceValue(func() op.Table {
	return slices.Concat(
		files.Operations(),
		spreadsheet.Operations(),
		pdf.Operations(),
		image.Operations(),
		db.Operations(),
		state.Operations(),
	)
})
