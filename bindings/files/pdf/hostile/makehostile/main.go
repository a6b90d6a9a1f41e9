// Command makehostile writes the hostile PDFs to the folder that it is given.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/hostile"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: makehostile FOLDER")
	}
	if err := os.MkdirAll(os.Args[1], 0o755); err != nil {
		log.Fatal(err)
	}
	for _, file := range hostile.Files() {
		if err := os.WriteFile(filepath.Join(os.Args[1], file.Name), file.Data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
