//go:build linux

package sandboxd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

// crashParts is what a run of the child does. It follows from the run's name, so that who
// checks can tell from the name alone what must be there if the run is.
type crashParts struct {
	Small, Large, Moved, State, Row, Shared, Counter, Rows bool
}

func crashPartsOf(name string) crashParts {
	h := fnv.New32a()
	_, _ = io.WriteString(h, name)
	bits := h.Sum32()
	bit := func(n int) bool { return bits>>n&1 == 1 }
	return crashParts{Small: bit(0), Large: bit(1) && bit(2), Moved: bit(3) && bit(4), State: bit(5), Row: bit(6) && bit(7),
		Shared: bit(8), Counter: bit(9) && bit(10), Rows: bit(11) && bit(12) && bit(13)}
}

func crashLarge(name string) string { return strings.Repeat("large "+name+"\n", 1500) }

var crashSpaces = []string{"w0", "w1", "w2"}

// crashScript does the parts in args and something to files that no run owns.
const crashScript = `
const { name, parts, dice, fail } = args;
const write = async (file, content) => {
	if ((await files.list(file)).length) await files.writeText(file, content);
	else await files.create(file, undefined, { content });
};
if (parts.Small) await write("s/" + name, "small " + name);
if (parts.Large) await write("l/" + name, ("large " + name + "\n").repeat(1500));
if (parts.Moved) { await write("moving/" + name, "moved " + name); await files.rename("moving/" + name, "m/" + name); }
if (parts.State) await state.set("r/" + name, name);
if (parts.Row) await db.sql("INSERT INTO runs VALUES (?)", [name]);
if (parts.Rows) await db.sql("INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT ?, i, hex(randomblob(50)) FROM n", [name]);
if (parts.Counter) await db.sql("UPDATE counter SET n = n + 1");
if (parts.Shared) await write("shared", "shared " + name);
const a = "x/" + dice[0] % 4, b = "x/" + dice[1] % 4;
const tried = [
	() => write(a, name.repeat(1 + dice[2] % 3000)), () => files.rename(a, b), () => files.delete(a), () => files.restore(a, 1), () => files.copy(a, b),
	() => files.append(a, name), () => state.set("x", dice[2]), () => state.delete("x"), () => 0,
][dice[3] % 9];
try { await tried(); } catch (e) { if (!e.code) throw e; }
if (fail) throw new Error("on purpose");
`

// TestCrashChild is the whole life of a child; by itself it is nothing.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("it is started by TestCrash")
	}
	seed, _ := strconv.ParseUint(os.Getenv(crashSeed), 10, 64)
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	h, err := sandboxd.Open(ctx, sandboxd.WithFaults(sandboxd.Config{Dir: dir, Concurrency: 3, Log: log,
		Limits: unhurried.Or(limits.Limits{Memory: 128 * limits.MB})}, dieAt(os.Getenv(crashAt))))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("open")
	for _, w := range crashSpaces {
		must(t, h.Run(ctx, sandboxd.Run{Workspace: w, Name: "setup", Script: `
			await db.sql("CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY)");
			await db.sql("CREATE TABLE IF NOT EXISTS many (id TEXT, i INTEGER, data TEXT, PRIMARY KEY (id, i))");
			await db.sql("CREATE TABLE IF NOT EXISTS counter (n INTEGER)");
			await db.sql("INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM counter)");`}))
	}
	var lanes sync.WaitGroup
	for lane := range 3 {
		lanes.Go(func() {
			c := &crashRunner{t: t, host: h, random: rand.New(rand.NewPCG(seed, uint64(lane))), prefix: fmt.Sprintf("%x-%d", seed, lane)}
			for range 15 {
				c.next(ctx)
			}
		})
	}
	lanes.Wait()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// crashRunner makes random history.
type crashRunner struct {
	t      *testing.T
	host   *sandboxd.Host
	random *rand.Rand
	prefix string
	runs   int
	done   [][2]string // workspace and id of committed runs
}

func (c *crashRunner) next(ctx context.Context) {
	w := crashSpaces[c.random.IntN(len(crashSpaces))]
	c.runs++
	name := fmt.Sprintf("%s-%d", c.prefix, c.runs)
	switch n := c.random.IntN(20); {
	case n < 3 && len(c.done) > 0:
		run := c.done[c.random.IntN(len(c.done))]
		// Refused where a later run changed the same, and that is right.
		if undone, err := c.host.Runs(run[0]).Undo(ctx, run[1], false); err == nil {
			fmt.Println("committed undo " + undone.RunID)
		}
	case n == 3:
		up := "up/" + name
		if _, err := c.host.Files(w).Put(ctx, sandboxd.Upload{Name: up, Body: strings.NewReader(crashLarge(up))}); err != nil {
			c.t.Errorf("upload: %v", err)
			return
		}
		fmt.Println("committed upload " + w + " " + up)
	default:
		var dice [4]int
		for i := range dice {
			dice[i] = c.random.IntN(1 << 20)
		}
		args, _ := json.Marshal(map[string]any{"name": name, "parts": crashPartsOf(name), "dice": dice, "fail": n == 4})
		r := sandboxd.Run{Workspace: w, Name: name, Script: crashScript, Args: args}
		if c.random.IntN(3) == 0 {
			r.OnConflict = "fail"
		}
		answer := c.host.Run(ctx, r)
		switch {
		case answer.OK:
			c.done = append(c.done, [2]string{w, answer.Receipt.RunID})
			fmt.Println("committed " + name)
		case n != 4 && answer.Error.Code != "conflict" && answer.Error.Code != "exists": // two made the shared file
			c.t.Errorf("%s: %v", name, answer.Error)
		}
	}
}
