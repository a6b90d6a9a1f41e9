package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sandboxd/sandboxd"
)

// benchmark is one piece of work that both sides do.
type benchmark struct {
	name string
	goal goal
	// ours does it some times and says how long each took.
	ours func(ctx context.Context, lab *lab) ([]time.Duration, error)
	n    int // how often the peer does it in its turn
	// peer names the case in peers/peer.mjs; "" has none and the goal is absolute.
	peer, arg string
	book      grid // instead of arg: a generated workbook
	// theirs is the peer's turn where it is not for peer.mjs.
	theirs func(ctx context.Context, lab *lab) ([]time.Duration, error)

	// once is for a peer that takes so long that it has one turn, without a warm-up.
	once  bool
	times float64 // what the peer's time stands for: so many of what it did; 0 is one
	// peak measures memory in MB instead of time.
	peak func(ctx context.Context, lab *lab) (float64, error)
}

// goal is met when peer/ours is at least ratio, or ours is at most ms or mb.
type goal struct {
	text  string
	ratio float64
	ms    float64
	mb    float64
}

func (g goal) met(m measured) bool {
	if g.ratio > 0 {
		return m.peer/m.ours >= g.ratio
	}
	return m.ours <= max(g.ms, g.mb)
}

// cases are all of them, in the order of the table.
var cases = slices.Concat(isolateCases, spreadsheetCases, imageCases, webCases, mcpCases, pdfCases, pdfAssembleCases)

var isolateCases = []benchmark{
	{
		name: "fresh isolate, `1+1` (isolated-vm)", peer: "isolate", n: 20,
		goal: goal{text: "≥ 8× faster", ratio: 8},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.runs(ctx, 20, `1+1`, "2")
		},
	},
	{
		name: "one host call, `state.get`",
		goal: goal{text: "< 60 µs", ms: 0.060},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.timed(ctx, `await state.get('warm');
				const ms = [];
				for (let i = 0; i < 1000; i++) {
					const start = performance.now();
					await state.get('warm');
					ms.push(performance.now() - start);
				}
				return ms`)
		},
	},
	{
		name: "1 MB of text by `+=`, a character at a time (V8)", peer: "concat", n: 1,
		goal: goal{text: "within 5×", ratio: 0.2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.timed(ctx, `const start = performance.now();
				let s = '';
				for (let i = 0; i < 1 << 20; i++) s += 'x';
				if (s.length !== 1 << 20) throw new Error('short');
				return [performance.now() - start]`)
		},
	},
	{
		name: "20 lines from the middle of a 50 MB file (fs.readFile)", peer: "range", arg: bigFile, n: 1,
		goal: goal{text: "≥ 20× faster, second read", ratio: 20},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.timed(ctx, fmt.Sprintf(`const range = { startLine: %d, endLine: %[1]d + 19 };
				await files.readText('big.log', range);
				const start = performance.now();
				const { content } = await files.readText('big.log', range);
				if (content === '') throw new Error('empty');
				return [performance.now() - start]`, bigLines/2))
		},
	},
	{
		name: "small run, 8 clients, 2 workers",
		goal: goal{text: "≥ 2,000 a second", ms: 0.5},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.throughput(ctx, 1000, 8)
		},
	},
}

// measure lets both sides take turns.
func (c benchmark) measure(ctx context.Context, lab *lab, rounds int) (measured, error) {
	if c.peak != nil {
		mb, err := c.peak(ctx, lab)
		return measured{ours: mb}, err
	}
	arg := lab.path(c.arg)
	if c.book.rows > 0 {
		var err error
		if arg, err = workbook(c.book.rows, c.book.cols); err != nil {
			return measured{}, err
		}
	}
	var ours, peer []time.Duration
	warm := 2 // rounds in which both sides warm up
	if c.once {
		rounds, warm = 1, 0
	}
	for round := range rounds + warm {
		mine, err := c.ours(ctx, lab)
		if err != nil {
			return measured{}, err
		}
		var theirs []time.Duration
		if c.peer != "" {
			if theirs, err = lab.peer.do(c.peer, arg, c.n); err != nil {
				return measured{}, err
			}
		}
		if c.theirs != nil {
			if theirs, err = c.theirs(ctx, lab); err != nil {
				return measured{}, err
			}
		}
		if round < warm {
			continue
		}
		ours, peer = append(ours, mine...), append(peer, theirs...)
	}
	return measured{median(ours), median(peer) * max(c.times, 1)}, nil
}

func (c benchmark) row(m measured) string {
	peer, ratio, verdict := "", "", "met"
	if c.peer != "" || c.theirs != nil {
		peer, ratio = fmt.Sprintf("%.3f ms", m.peer), fmt.Sprintf("%.2f×", m.peer/m.ours)
	}
	if !c.goal.met(m) {
		verdict = "**missed**"
	}
	mine := fmt.Sprintf("%.3f ms", m.ours)
	if c.peak != nil {
		mine = fmt.Sprintf("%.1f MB", m.ours)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", c.name, mine, peer, ratio, c.goal.text, verdict)
}

// runs does a whole run n times, one after the other, and checks what it answers.
func (l *lab) runs(ctx context.Context, n int, script, want string) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		start := time.Now()
		answer := l.host.Run(ctx, sandboxd.Run{Script: script})
		times = append(times, time.Since(start))
		if !answer.OK || string(answer.Result) != want {
			return nil, fmt.Errorf("answered %s, %v", answer.Result, answer.Error)
		}
	}
	return times, nil
}

// timed is a run that measures itself and answers a list of milliseconds.
func (l *lab) timed(ctx context.Context, script string) ([]time.Duration, error) {
	answer := l.host.Run(ctx, sandboxd.Run{Script: script})
	if !answer.OK {
		return nil, answer.Error
	}
	var ms []float64
	if err := json.Unmarshal(answer.Result, &ms); err != nil {
		return nil, err
	}
	return durations(ms), nil
}

// throughput is n small runs from several clients at once; its one time is a run's share.
func (l *lab) throughput(ctx context.Context, n, clients int) ([]time.Duration, error) {
	var left atomic.Int64
	left.Store(int64(n))
	var failure atomic.Pointer[error]
	var wg sync.WaitGroup
	start := time.Now()
	for range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := l.runs(ctx, 1, `[1, 2, 3].map(x => x * 2).join()`, `"2,4,6"`); err != nil {
					failure.Store(&err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := failure.Load(); err != nil {
		return nil, *err
	}
	return []time.Duration{time.Since(start) / time.Duration(n)}, nil
}
