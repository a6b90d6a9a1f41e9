package main

import (
	"fmt"
	"runtime/debug"
)

type versionCmd struct{}

// Run prints what the build knows of itself.
func (versionCmd) Run(a *app) error {
	builtWith := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		builtWith = info.GoVersion
	}
	_, err := fmt.Fprintf(a.out, "sandboxd %s %s\n", version(), builtWith)
	return err
}

// version is what the build knows of itself.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
