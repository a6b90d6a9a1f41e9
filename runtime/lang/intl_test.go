package lang_test

import (
	_ "embed"
	"testing"
)

//go:embed testdata/number.cases
var numberCases string

func TestIntlNumbers(t *testing.T) { cases(t, numberCases) }

//go:embed testdata/date.cases
var dateCases string

func TestIntlDates(t *testing.T) { cases(t, dateCases) }
