package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints what the build knows of itself.
func (versionCmd) Run(a *app) error {
	version, builtWith := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version, builtWith = info.Main.Version, info.GoVersion
	}
	_, err := fmt.Fprintf(a.out, "sandboxd %s %s\n", version, builtWith)
	return err
}
