package op_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// note is a held document of one text.
type note struct {
	id string

	mu    sync.Mutex
	text  string
	dirty bool
	saves int
}

func (n *note) Save(ctx context.Context, direct host.Host) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.dirty {
		return nil
	}
	staged, err := direct.Stage(ctx)
	if err != nil {
		return err
	}
	defer staged.Data.Close()
	if _, err := staged.Data.WriteString(n.text); err != nil {
		return err
	}
	if _, err := direct.Put(ctx, n.id, staged.ID); err != nil {
		return err
	}
	n.saves++
	n.dirty = false
	return nil
}

// holding is a workspace with two files, of which a.txt is held with the unsaved text "new".
func holding(t *testing.T) (*hosttest.Memory, *op.Env, *note) {
	m := hosttest.New(t)
	a := m.Add(t, "a.txt", []byte("old"))
	m.Add(t, "b.txt", []byte("other"))
	env := op.NewEnv(m, limits.Limits{}, nil)
	doc := &note{id: a.ID, text: "new", dirty: true}
	env.Hold(a.ID, doc)
	return m, env, doc
}

func put(t *testing.T, h host.Host, ref, text string) {
	t.Helper()
	staged, err := h.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Data.Close()
	if _, err := staged.Data.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Put(t.Context(), ref, staged.ID); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, h host.Host, ref string) string {
	t.Helper()
	opened, err := h.Open(t.Context(), ref, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Data.Close()
	data, err := io.ReadAll(opened.Data)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReadersSeeWhatIsHeld(t *testing.T) {
	for name, look := range map[string]func(t *testing.T, h host.Host, id string){
		"open by name": func(t *testing.T, h host.Host, id string) {
			if got := text(t, h, "a.txt"); got != "new" {
				t.Errorf("read %q", got)
			}
		},
		"open by id": func(t *testing.T, h host.Host, id string) {
			if got := text(t, h, id); got != "new" {
				t.Errorf("read %q", got)
			}
		},
		"stat": func(t *testing.T, h host.Host, id string) {
			if file, err := h.Stat(t.Context(), "a.txt"); err != nil || file.Version != 2 {
				t.Errorf("got %+v, %v", file, err)
			}
		},
		"list": func(t *testing.T, h host.Host, id string) {
			if list, err := h.List(t.Context(), "a*"); err != nil || list[0].Version != 2 {
				t.Errorf("got %+v, %v", list, err)
			}
		},
		"versions": func(t *testing.T, h host.Host, id string) {
			if list, err := h.Versions(t.Context(), id); err != nil || len(list) != 2 {
				t.Errorf("got %+v, %v", list, err)
			}
		},
		"copy": func(t *testing.T, h host.Host, id string) {
			if _, err := h.Copy(t.Context(), "a.txt", "c.txt"); err != nil || text(t, h, "c.txt") != "new" {
				t.Errorf("copied %q, %v", text(t, h, "c.txt"), err)
			}
		},
		"rename": func(t *testing.T, h host.Host, id string) {
			if _, err := h.Rename(t.Context(), "a.txt", "c.txt"); err != nil || text(t, h, "c.txt") != "new" {
				t.Errorf("renamed %q, %v", text(t, h, "c.txt"), err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, env, doc := holding(t)
			look(t, env.Host, doc.id)
			look2, err := env.Host.Stat(t.Context(), doc.id)
			if err != nil || look2.Size != 3 {
				t.Errorf("got %+v, %v", look2, err)
			}
			if doc.saves != 1 {
				t.Errorf("saved %d times", doc.saves)
			}
			if env.HeldOf(doc.id) != doc {
				t.Error("it is not held any more")
			}
		})
	}
}

func TestOthersAreLeftAlone(t *testing.T) {
	m, env, doc := holding(t)
	if got := text(t, env.Host, "b.txt"); got != "other" || doc.saves != 0 {
		t.Errorf("read %q after %d saves", got, doc.saves)
	}
	if _, err := env.Host.Stat(t.Context(), "none"); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("got %v", err)
	}
	env.Drop(doc.id)
	before := m.Calls()["Stat"]
	text(t, env.Host, "b.txt")
	if m.Calls()["Stat"] != before {
		t.Error("with nothing held, opening a file asks for more than the file")
	}
}

func TestAChangeByAnotherWayDropsWhatIsHeld(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, h host.Host) (want string){
		"put": func(t *testing.T, h host.Host) string { put(t, h, "a.txt", "by hand"); return "by hand" },
		"delete": func(t *testing.T, h host.Host) string {
			_, err := h.Delete(t.Context(), "a.txt")
			check(t, err)
			return ""
		},
		"restore": func(t *testing.T, h host.Host) string {
			_, err := h.Restore(t.Context(), "a.txt", 1)
			check(t, err)
			return "old"
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, env, doc := holding(t)
			want := change(t, env.Host)
			if env.HeldOf(doc.id) != nil {
				t.Error("it is still held")
			}
			check(t, env.Settle(t.Context(), ""))
			if want == "" {
				if slices.Contains(m.Names(), "a.txt") {
					t.Error("the deleted file came back")
				}
			} else if got := string(m.Bytes(t, "a.txt")); got != want {
				t.Errorf("the file holds %q, want %q", got, want)
			}
		})
	}
}

func TestAChangeThatFailsKeepsWhatIsHeld(t *testing.T) {
	m, env, doc := holding(t)
	m.Fail = func(method, ref string) error {
		if method == "Delete" {
			return problem.New(problem.Forbidden, "no")
		}
		return nil
	}
	if _, err := env.Host.Delete(t.Context(), "a.txt"); problem.CodeOf(err) != problem.Forbidden {
		t.Errorf("got %v", err)
	}
	check(t, env.Settle(t.Context(), ""))
	if got := string(m.Bytes(t, doc.id)); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

// A document that cannot be saved must fail the reader, or it would read what is stale.
func TestASaveThatFailsFailsTheReader(t *testing.T) {
	m, env, doc := holding(t)
	full := problem.New(problem.WorkspaceFull, "full")
	m.Fail = func(method, ref string) error {
		if method == "Put" {
			return full
		}
		return nil
	}
	ctx := t.Context()
	_, open := env.Host.Open(ctx, doc.id, 0)
	_, stat := env.Host.Stat(ctx, "a.txt")
	_, list := env.Host.List(ctx, "")
	_, versions := env.Host.Versions(ctx, "a.txt")
	_, copied := env.Host.Copy(ctx, "a.txt", "c")
	_, renamed := env.Host.Rename(ctx, "a.txt", "c")
	_, restored := env.Host.Restore(ctx, "a.txt", 1)
	for _, err := range []error{open, stat, list, versions, copied, renamed, restored, env.Settle(ctx, ""), env.Settle(ctx, doc.id)} {
		if !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	}
	if env.HeldOf(doc.id) == nil {
		t.Error("the changes are lost")
	}
}

func TestLockMakesOperationsTakeTurns(t *testing.T) {
	env := op.NewEnv(hosttest.New(t), limits.Limits{}, nil)
	const n = 50
	inside, total := 0, 0
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			unlock, err := env.Lock(t.Context(), "a")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if inside++; inside != 1 { // the race detector watches as well
				t.Error("two at once")
			}
			total++
			inside--
		})
	}
	wg.Wait()
	if total != n {
		t.Errorf("%d of %d had their turn", total, n)
	}

	unlock, err := env.Lock(t.Context(), "a")
	check(t, err)
	other, err := env.Lock(t.Context(), "b")
	check(t, err)
	other()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := env.Lock(gone, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	unlock()
	unlock() // again, which must not take somebody else's turn away
	again, err := env.Lock(t.Context(), "a")
	check(t, err)
	again()
}

func TestEnvDefaults(t *testing.T) {
	env := op.NewEnv(hosttest.New(t), limits.Limits{SQLRows: 7}, nil)
	if env.Limits.SQLRows != 7 || env.Limits.FileBytes != limits.Default().FileBytes {
		t.Errorf("got %+v", env.Limits)
	}
}

func TestCache(t *testing.T) {
	key := func(name string) op.CacheKey { return op.CacheKey{Kind: "test", Hash: name} }
	c := op.NewCache(100)
	c.Put(key("a"), "A", 40)
	c.Put(key("b"), "B", 40)
	c.Get(key("a")) // now b is what was used longest ago
	c.Put(key("c"), "C", 40)
	if c.Get(key("a")) != "A" || c.Get(key("b")) != nil || c.Get(key("c")) != "C" {
		t.Error("it did not forget what was used longest ago")
	}
	c.Put(key("a"), "A2", 50)
	c.Put(key("big"), "no", 51)
	if c.Get(key("a")) != "A2" || c.Get(key("big")) != nil || c.Get(key("c")) != "C" {
		t.Error("it did not take the new value, or took one of more than half of it")
	}
	c.Put(key("a"), "A3", 10)
	c.Put(key("d"), "D", 50)
	if c.Get(key("c")) != "C" {
		t.Error("the space of a replaced value was not given back")
	}
	c.Put(key("d"), "D2", 51)
	if c.Get(key("d")) != nil {
		t.Error("it kept one, with its size of before, that has become too large")
	}
	if c.Get(op.CacheKey{Kind: "other", Hash: "a"}) != nil {
		t.Error("kinds are mixed up")
	}
	for _, none := range []*op.Cache{nil, {}, op.NewCache(0)} {
		none.Put(key("a"), "A", 0)
		if none.Get(key("a")) != nil {
			t.Error("a cache of nothing kept something")
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

type evicted struct{ times int }

func (e *evicted) Evicted() { e.times++ }

// A document that holds more than memory is told when the cache forgets it, and not when
// it is only put there again.
func TestCacheTellsWhatItForgets(t *testing.T) {
	cache := op.NewCache(100)
	first, second := &evicted{}, &evicted{}
	cache.Put(op.CacheKey{Hash: "1"}, first, 40)
	cache.Put(op.CacheKey{Hash: "1"}, first, 50)
	cache.Put(op.CacheKey{Hash: "2"}, second, 50)
	if first.times+second.times != 0 {
		t.Error("told too early")
	}
	cache.Put(op.CacheKey{Hash: "3"}, "plain", 10)
	if first.times != 1 || second.times != 0 {
		t.Errorf("told %d and %d times", first.times, second.times)
	}
}
