package worker

import "testing"

func TestDoctor(t *testing.T) {
	report, err := Doctor(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]State{}
	for _, l := range report.Layers {
		t.Logf("%-22s %-18s %s", l.Name, l.State, l.Why)
		states[l.Name] = l.State
		if l.State == Off && !(raceBuild && l.Name == "RLIMIT_DATA") {
			t.Errorf("%s is off: %s", l.Name, l.Why)
		}
	}
	for _, name := range []string{"minimal environment", "closed descriptors", "no-new-privs", "landlock", "seccomp",
		"namespaces", "death with the daemon", "watchdogs", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NOFILE"} {
		if states[name] == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
}
