package server

import (
	"net/http"
	"strconv"
)

// flagParameter is a parameter of the address that is true or false; absent is false.
func flagParameter(r *http.Request, name string) (bool, error) {
	switch text := r.URL.Query().Get(name); text {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	default:
		return false, invalid(name, "expected true or false, got %.100q", text)
	}
}

// numberParameter is a parameter of the address that counts from 1; absent is 0.
func numberParameter(r *http.Request, name string) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, invalid(name, "expected a whole number from 1, got %.100q", text)
	}
	return n, nil
}
