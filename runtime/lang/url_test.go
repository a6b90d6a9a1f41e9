package lang_test

import (
	_ "embed"
	"testing"
)

//go:embed testdata/url.cases
var urlCases string

func TestURL(t *testing.T) { cases(t, urlCases) }
