package sandboxd

// WithFaults is a config whose store calls fn at the named steps of a commit and of recovery.
func WithFaults(config Config, fn func(step string)) Config {
	config.faults = fn
	return config
}
