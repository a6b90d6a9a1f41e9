//go:build nolibvips || !(linux || darwin) || !(amd64 || arm64)

package vips

import (
	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/engine"
)

// Vips is no engine in this build.
type Vips struct{ picture.Engine }

// Engine describes an engine that this build has left out.
func Engine() engine.Engine {
	return engine.Engine{Name: Name, Title: "libvips", Get: "This sandboxd was built without it.",
		Load: func(engine.Places) (any, error) { return nil, engine.ErrMissing }}
}
