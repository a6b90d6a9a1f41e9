package sandboxd_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// Close waits for the runs under way up to their commit, refuses those that wait, and what
// was answered is what is there when the folder is opened again.
func TestCloseLetsRunsEnd(t *testing.T) {
	for round := range 4 {
		dir := t.TempDir()
		h, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: dir, Concurrency: 3})
		if err != nil {
			t.Fatal(err)
		}
		must(t, h.Run(t.Context(), sandboxd.Run{Script: `await db.sql("CREATE TABLE done (n INTEGER)")`}))
		var (
			lanes sync.WaitGroup
			mu    sync.Mutex
			runs  = map[string]bool{} // files and rows that were answered with OK
			some  = make(chan struct{}, 100)
		)
		for i := range 8 {
			lanes.Go(func() {
				for n := 0; ; n++ {
					name := fmt.Sprintf("%d-%d", i, n)
					var err error
					if i == 0 {
						_, err = h.Files("").Put(t.Context(), sandboxd.Upload{Name: name, Body: strings.NewReader(name)})
					} else {
						err = asError(h.Run(t.Context(), sandboxd.Run{Script: fmt.Sprintf(`await files.create(%q); await db.sql("INSERT INTO done VALUES (1)")`, name)}).Error)
					}
					switch problem.CodeOf(err) {
					case "":
						mu.Lock()
						runs[name] = true
						mu.Unlock()
						select {
						case some <- struct{}{}:
						default: // nobody waits for more
						}
					case problem.Busy: // closed, or soon
						return
					default:
						t.Errorf("round %d: %s while the host is closed: %v", round, name, err)
						return
					}
				}
			})
		}
		for range 5 + 3*round {
			<-some
		}
		if err := h.Close(); err != nil {
			t.Errorf("round %d: close: %v", round, err)
		}
		lanes.Wait()
		h = open(t, sandboxd.Config{Dir: dir})
		files, err := h.Files("").List(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, f := range files {
			if !runs[f.Name] {
				t.Errorf("round %d: %s is there and was not answered", round, f.Name)
			}
			delete(runs, f.Name)
			if f.Name[0] != '0' {
				rows++
			}
		}
		if len(runs) > 0 {
			t.Errorf("round %d: answered, and not there: %v", round, runs)
		}
		answer := must(t, h.Run(t.Context(), sandboxd.Run{Script: `return (await db.sql("SELECT count(*) FROM done")).rows[0][0]`}))
		if string(answer.Result) != fmt.Sprint(rows) {
			t.Errorf("round %d: %s rows of %d runs", round, answer.Result, rows)
		}
	}
}

// A run is under way until it is committed, also when its script has long ended.
func TestCloseWaitsForCommits(t *testing.T) {
	for at, script := range map[string]string{
		"agent.committing":                  `await db.sql("CREATE TABLE t (n)")`,
		"blob.written":                      `await files.create("large", undefined, { content: "x".repeat(100_000) })`,
		"agent.committing of a trusted run": `await db.sql("CREATE TABLE t (n)")`,
		"blob.written of a trusted run":     `await files.create("large", undefined, { content: "x".repeat(100_000) })`,
	} {
		step, trusted := strings.CutSuffix(at, " of a trusted run")
		t.Run(at, func(t *testing.T) {
			committing, goOn := make(chan struct{}), make(chan struct{})
			h, err := sandboxd.Open(t.Context(), sandboxd.WithFaults(sandboxd.Config{Trusted: trusted}, func(now string) {
				if now == step {
					close(committing)
					<-goOn
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			answered, closed := make(chan sandboxd.Answer, 1), make(chan error, 1)
			go func() { answered <- h.Run(t.Context(), sandboxd.Run{Script: script}) }()
			<-committing
			go func() { closed <- h.Close() }()
			select {
			case err := <-closed:
				t.Errorf("the host was closed before the run was committed, %v", err)
				closed <- err
			case <-time.After(300 * time.Millisecond):
			}
			close(goOn)
			if answer := <-answered; !answer.OK {
				t.Errorf("the run: %v", answer.Error)
			}
			if err := <-closed; err != nil {
				t.Errorf("close: %v", err)
			}
			if answer := h.Run(t.Context(), sandboxd.Run{Script: `return 1`}); answer.OK || answer.Error.Code != problem.Busy {
				t.Errorf("a run after the end: %v, want busy", answer.Error)
			}
			if err := h.Close(); err != nil {
				t.Errorf("closing twice: %v", err)
			}
		})
	}
}

// What was said of a run holds for its script too.
func TestCloseWaitsForScripts(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		h, err := sandboxd.Open(t.Context(), sandboxd.Config{Trusted: trusted})
		if err != nil {
			t.Fatal(err)
		}
		inside, answered := make(chan struct{}), make(chan sandboxd.Answer, 1)
		go func() {
			answered <- h.Run(t.Context(), sandboxd.Run{Log: func(host.LogLine) { close(inside) }, Script: `console.log("inside");
				await new Promise(done => setTimeout(done, 300)); await files.create("a"); await db.sql("CREATE TABLE t (n)")`})
		}()
		<-inside
		if err := h.Close(); err != nil {
			t.Errorf("trusted %v: close: %v", trusted, err)
		}
		if answer := <-answered; !answer.OK {
			t.Errorf("trusted %v: %v", trusted, answer.Error)
		}
	}
}
