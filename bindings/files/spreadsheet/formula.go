package spreadsheet

import (
	"fmt"
	"strings"
)

// formulaProblem tells why a text cannot be a formula, or "". It finds what is wrong by
// its form alone: a spreadsheet program that meets such a formula in a file calls the file
// damaged and takes the formula out, or the whole part. Names, functions and what they are
// given are not looked at.
func formulaProblem(text string) string {
	var open []byte // brackets that wait for their partners
	operand := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		case c == '"' || c == '\'':
			end := closing(text, i)
			if end < 0 {
				if c == '"' {
					return "a text in it has no closing quote"
				}
				return "a sheet's name in it has no closing quote"
			}
			i, operand = end, true
			continue
		case c == '[':
			if i = bracketsEnd(text, i); i < 0 {
				return "a [ in it has no partner"
			}
			operand = true
			continue
		case c == '(' || c == '{':
			open, operand = append(open, c), false
		case c == ')' || c == '}':
			if len(open) == 0 || open[len(open)-1] != partner(c) {
				return fmt.Sprintf("a %c in it has no partner", c)
			}
			// What may be missing before it is an argument.
			open, operand = open[:len(open)-1], true
		case c == ';' && !inArray(open):
			return "arguments are separated by commas, not by semicolons"
		case c == ',' || c == ';':
			operand = false
		case strings.HasPrefix(text[i:], "&&") || strings.HasPrefix(text[i:], "||"):
			return fmt.Sprintf("%s is no operator; write AND(…) or OR(…)", text[i:i+2])
		case strings.HasPrefix(text[i:], "=="):
			return "== is no operator; equal is one ="
		case c == '!' && strings.HasPrefix(text[i:], "!=") && operand:
			return "!= is no operator; not equal is <>"
		case strings.IndexByte("=<>*/^&", c) >= 0:
			if !operand {
				return fmt.Sprintf("nothing stands before %c", c)
			}
			if next := text[i:min(i+2, len(text))]; next == "<>" || next == "<=" || next == ">=" {
				i++
			}
			operand = false
		case c == '+' || c == '-':
			operand = false
		default:
			operand = true
		}
		i++
	}
	switch {
	case len(open) > 0:
		return fmt.Sprintf("a %c in it has no partner", open[len(open)-1])
	case !operand:
		return "something is missing at its end"
	}
	return ""
}

// closing gives what follows the quoted text at i, -1 if it does not end; a quote within
// is doubled.
func closing(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return i + 1
		}
		i++
	}
	return -1
}

// bracketsEnd gives what follows the brackets at i, as Orders[[#This Row],[Total]] has
// them, -1 if they do not end; an apostrophe takes the meaning of the sign behind it away.
func bracketsEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\'':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func partner(c byte) byte {
	if c == ')' {
		return '('
	}
	return '{'
}

func inArray(open []byte) bool { return len(open) > 0 && open[len(open)-1] == '{' }
