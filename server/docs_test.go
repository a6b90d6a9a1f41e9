package server_test

import (
	"os"
	"strings"
	"testing"
)

// The page for people names every request.
func TestThePageNamesEveryRequest(t *testing.T) {
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range c.paths {
		for method := range methods {
			if request := "`" + strings.ToUpper(method) + " " + path + "`"; !strings.Contains(string(page), request) {
				t.Errorf("docs/http.md has no %s", request)
			}
		}
	}
}
