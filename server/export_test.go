package server

import "time"

// WithForgiven is a Config whose server forgives one wrong token in a time, by which a test is
// not slower than the guesses that it makes.
func WithForgiven(c Config, every time.Duration) Config {
	c.forgiven = every
	return c
}
