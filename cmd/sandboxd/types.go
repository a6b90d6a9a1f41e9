package main

import (
	"fmt"

	"github.com/sandboxd/sandboxd/bindings"
)

type typesCmd struct{}

// Help is shown below the flags.
func (typesCmd) Help() string {
	return `Save them beside your scripts, and an editor completes and checks what you write:

  sandboxd types > sandboxd.d.ts`
}

func (typesCmd) Run(a *app) error {
	_, err := fmt.Fprint(a.out, bindings.Table().TypeScript())
	return err
}
