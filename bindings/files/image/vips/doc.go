// Package vips is the engine that binds libvips 8.15 or newer, loaded at run time without cgo.
//
// What it covers: loading JPEG, PNG, WebP, GIF, TIFF and AVIF from memory, with shrink on
// load; the steps of package picture; saving the same formats to memory. Everything goes
// through libvips' generic operations (an operation by name, its arguments as properties),
// because the convenient C functions are variadic, which means another calling convention on
// some platforms. All other loaders and savers are blocked, and so is the operation cache.
//
// libvips is lazy: a session builds a pipeline, and pixels move when a result is written.
// Files are read as a stream where the steps allow it, so that a large one is never whole
// in memory.
//
// The build tag nolibvips leaves it all out: with purego a binary needs the system's dynamic
// loader. Imports engine, problem, purego and picture. Start reading at Engine in load.go,
// then at session in session.go.
package vips

// Name is the engine's, for engine.Of.
const Name = "libvips"

const get = "Run make engines, put npm's @img/sharp-libvips for this platform in the engines folder, or name the library in SANDBOXD_LIBVIPS."
