// Package problem is the one table of everything that can go wrong, and the
// error type that carries an entry of it.
//
// An Error has two sides. Code, Message, Hint and Details are written for the
// model and cross every boundary; Cause is for the operator, is logged once at
// the edge and is never serialised. Any other error that reaches an edge is
// turned by From into code "internal", its text kept in Cause alone.
//
// Imports nothing of this module. Start reading at Error.
package problem

import (
	"context"
	"errors"
	"fmt"
)

// Error is a failure that may be shown to a script, a model or a client.
type Error struct {
	// Code is an entry of Table.
	Code Code `json:"code"`
	// Message says what was wrong, with what. No Go error text, no host path.
	Message string `json:"message"`
	// Hint says what to do about it. Defaults to the table's.
	Hint string `json:"hint,omitempty"`
	// Line and Column are 1-based places in the submitted source; 0 if unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Details are machine-readable facts, such as the id of the file that exists.
	Details map[string]any `json:"details,omitempty"`
	// Stack is the script's own stack, in the submitted source's coordinates.
	Stack string `json:"stack,omitempty"`
	// Cause is what happened underneath, for the operator's log only.
	Cause error `json:"-"`
}

var _ error = (*Error)(nil)

// New makes an Error with the table's hint for the code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: table[code].Hint}
}

// Error is the message with its code, for logs and %v.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives the operator's cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is(err, problem.New(code, "")) and two errors of one code match.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// WithHint returns a copy of e that carries this hint instead of the table's.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// WithCause returns a copy of e that remembers cause for the operator.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// With returns a copy of e that carries one more machine-readable fact.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// From gives err as an Error: itself if it is or wraps one, timeout or canceled for
// a context's end, and otherwise internal with err as the hidden cause. From(nil) is nil.
func From(err error) *Error {
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return New(Timeout, "the time limit was reached").WithCause(err)
	case errors.Is(err, context.Canceled):
		return New(Canceled, "the caller cancelled").WithCause(err)
	}
	return New(Internal, "something went wrong inside sandboxd").WithCause(err)
}

// CodeOf is the code of From(err), or "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}
