package spreadsheet

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// maxText is how many characters a cell may hold in Excel.
const maxText = 32_767

// input is what a script puts into a cell.
type input struct {
	value   sheet.Value
	formula string
}

// inputOf reads a plain value: null clears the cell; a string that begins with = is a
// formula, and one of the form in which dates are read is a date; {formula} and {error}
// are what they say. where names the value for messages.
func inputOf(v any, where string) (input, error) {
	switch v := v.(type) {
	case nil:
		return input{}, nil
	case bool:
		return input{value: sheet.Boolean(v)}, nil
	case int64:
		return input{value: sheet.Num(float64(v))}, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return input{}, problem.New(problem.InvalidArgument, "%s: a cell cannot hold NaN or Infinity", where).With("argument", where)
		}
		return input{value: sheet.Num(v)}, nil
	case string:
		return textInput(v, where)
	case op.Object:
		if len(v) == 1 {
			if text, ok := v[0].Value.(string); ok {
				switch v[0].Name {
				case "formula":
					return formulaInput(text, where)
				case "error":
					if !sheet.IsError(text) {
						return input{}, problem.New(problem.InvalidArgument, "%s: %q is no error that a cell can hold", where, clip(text)).
							WithHint("There are #DIV/0!, #N/A, #NAME?, #NULL!, #NUM!, #REF!, #VALUE! and a few more; write anything else as a text.").With("argument", where)
					}
					return input{value: sheet.Err(text)}, nil
				}
			}
		}
	}
	return input{}, problem.New(problem.InvalidArgument, "%s: expected a number, a string, a boolean, null or {formula: \"…\"}", where).
		With("argument", where)
}

func textInput(text, where string) (input, error) {
	if len(text) > maxText && utf8.RuneCountInString(text) > maxText {
		return input{}, problem.New(problem.InvalidArgument, "%s: a cell holds at most %d characters, and the text has %d", where, maxText, utf8.RuneCountInString(text)).
			With("argument", where)
	}
	switch {
	case text == "":
		return input{}, nil
	case len(text) > 1 && text[0] == '=':
		return formulaInput(text, where)
	case strings.HasPrefix(text, "'="): // a text that begins with =
		return input{value: sheet.Str(text[1:])}, nil
	case len(text) == len("2006-01-02T15:04:05.000Z") && text[10] == 'T' && text[23] == 'Z':
		if serial, ok := sheet.ParseISO(text); ok && serial >= 0 && serial < sheet.MaxSerial {
			return input{value: sheet.Serial(serial)}, nil
		}
	}
	return input{value: sheet.Str(text)}, nil
}

func formulaInput(text, where string) (input, error) {
	formula := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "="))
	if formula == "" || len(formula) > 8192 {
		return input{}, problem.New(problem.InvalidArgument, "%s: a formula has 1 to 8192 characters", where).With("argument", where)
	}
	if strings.ContainsFunc(formula, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff }) {
		return input{}, problem.New(problem.InvalidArgument, "%s: a formula cannot hold control characters", where).
			WithHint("Write CHAR(7) and the like in the formula.").With("argument", where)
	}
	if why := formulaProblem(formula); why != "" {
		return input{}, problem.New(problem.InvalidArgument, "%s: %q is no formula: %s", where, clip(text), why).
			WithHint("To write a text that begins with =, put an apostrophe in front: \"'=…\".").With("argument", where)
	}
	return input{formula: formula}, nil
}
