package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/problem"
)

// AgentDB is a workspace's agent database in its process, for one user of it. When the
// process ends, its calls say why, an open transaction is gone, and Pool.AgentDB starts
// another one.
type AgentDB struct {
	agentdb.Client
	release sync.Once
	owner   *database
}

// Close says that this user is done. The process stays for a while.
func (a *AgentDB) Close() { a.release.Do(a.owner.leave) }

// Alive tells whether the process is still there.
func (a *AgentDB) Alive() bool { return a.owner.process.alive() }

// databases are the processes in the role sql, one for each workspace in use.
type databases struct {
	mu          sync.Mutex
	stopped     bool
	byWorkspace map[string]*database
}

// database is the process of one workspace's database.
type database struct {
	workspace string
	started   chan struct{} // closed when process or err is set
	process   *process
	err       error
	spawner   *spawner
	grace     time.Duration
	timeout   time.Duration // of one call

	mu    sync.Mutex
	users int
	used  time.Time
	left  chan struct{} // somebody did
}

// AgentDB gives a workspace's agent database, starting its process if there is none. The
// process can open the folder that Config.DBDir names and nothing else. The caller closes it.
func (p *Pool) AgentDB(ctx context.Context, workspace string) (*AgentDB, error) {
	if p.config.DBDir == nil {
		return nil, problem.New(problem.EngineMissing, "no folder is configured for databases")
	}
	for {
		d, ours, err := p.databases.enter(workspace)
		if err != nil {
			return nil, err
		}
		if ours {
			d.start(p)
			p.databases.evict(p, d)
		}
		select {
		case <-d.started:
		case <-ctx.Done():
			d.leave()
			return nil, problem.From(ctx.Err())
		}
		if d.err == nil && d.process.alive() {
			a := &AgentDB{owner: d}
			a.Client.Call = d.call
			return a, nil
		}
		d.leave()
		if d.err == nil {
			// It ended since the last use. Two processes must never hold one database.
			d.end()
		}
		p.databases.forget(d)
		if d.err != nil {
			p.config.Log.Error("no database worker could be started", "workspace", workspace, "error", d.err)
			return nil, startProblem(ctx, d.err)
		}
	}
}

// enter gives the workspace's database and counts a user; ours tells the caller to start it.
func (ds *databases) enter(workspace string) (d *database, ours bool, err error) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.stopped {
		return nil, false, problem.New(problem.Busy, "the host is shutting down").WithCause(errStopped)
	}
	d = ds.byWorkspace[workspace]
	if d == nil {
		d, ours = &database{workspace: workspace, started: make(chan struct{}), left: make(chan struct{}, 1)}, true
		ds.byWorkspace[workspace] = d
	}
	d.mu.Lock()
	d.users++
	d.mu.Unlock()
	return d, ours, nil
}

// forget takes a database off the list, unless another one has its place.
func (ds *databases) forget(d *database) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.byWorkspace[d.workspace] == d {
		delete(ds.byWorkspace, d.workspace)
	}
}

func (d *database) leave() {
	d.mu.Lock()
	d.users--
	d.used = time.Now()
	d.mu.Unlock()
	select {
	case d.left <- struct{}{}:
	default:
	}
}

// start starts the process on a thread of its own: its landlock names this one folder.
func (d *database) start(p *Pool) {
	defer close(d.started)
	dir, err := p.config.DBDir(d.workspace)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		d.err = fmt.Errorf("worker: the database's folder: %w", err)
		return
	}
	d.grace, d.timeout = 4*p.config.Grace, p.config.Limits.SQLTime+10*time.Second
	d.spawner = newSpawner(pathRules(p.config.Executable, reach{dbDir: dir}))
	d.process, d.err = p.launcher.launch(p.ctx, d.spawner, settings{Role: roleSQL, Limits: p.config.Limits, Dir: dir})
	if d.err != nil {
		d.spawner.stop()
	}
}

// call makes one call and returns when the process is done with it. A process that does
// not heed a cancelled context, takes far longer than a statement may, or grows beyond its
// memory is killed, and its death is the call's error.
func (d *database) call(ctx context.Context, method string, in, out any) error {
	call, err := d.process.conn.Begin(ctx, method, in)
	if err != nil {
		return d.explain(err)
	}
	var (
		tick     = time.NewTimer(watchEvery)
		deadline = time.NewTimer(d.timeout)
		ended    = ctx.Done()
		kill     <-chan time.Time
	)
	defer tick.Stop()
	defer deadline.Stop()
	for {
		select {
		case <-call.Done():
			_, err := call.Result(out)
			return d.explain(err)
		case <-ended:
			ended = nil
			call.Cancel()
			kill = time.After(d.grace)
		case <-deadline.C:
			d.process.kill(problem.Timeout)
		case <-kill:
			d.process.kill(problem.CodeOf(ctx.Err()))
		case <-tick.C:
			tick.Reset(watchEvery)
			_, private := d.process.gauge.memory()
			d.process.see(private)
			if private > allowed(d.process.settings.Limits.Memory) {
				d.process.kill(problem.MemoryLimit)
			}
		}
	}
}

// explain makes the loss of the connection an error that says how the process ended.
func (d *database) explain(err error) error {
	var broken *frame.Violation
	if err == nil || !errors.Is(err, frame.ErrClosed) && !errors.As(err, &broken) {
		return err
	}
	d.process.lost(d.grace)
	return d.process.death().problem()
}

// retire ends databases that nobody uses since before old.
func (ds *databases) retire(p *Pool, old time.Time) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, d := range ds.byWorkspace {
		if d.unused() && d.used.Before(old) {
			ds.letGo(p, d)
		}
	}
}

// evict ends the least recently used of those that nobody uses while there are more of
// them than processes are to be kept.
func (ds *databases) evict(p *Pool, except *database) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	var unused []*database
	for _, d := range ds.byWorkspace {
		if d != except && d.unused() {
			unused = append(unused, d)
		}
	}
	slices.SortFunc(unused, func(a, b *database) int { return a.used.Compare(b.used) })
	for len(unused) > p.config.Keep {
		ds.letGo(p, unused[0])
		unused = unused[1:]
	}
}

// unused tells whether it runs and nobody has it. It holds as long as the list is locked.
func (d *database) unused() bool {
	select {
	case <-d.started:
	default:
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err == nil && d.users == 0
}

// letGo begins to end a database. It stays on the list until it has ended, so that whoever
// wants it meanwhile waits.
func (ds *databases) letGo(p *Pool, d *database) {
	d.process.conn.Close()
	p.reaping.Go(func() {
		d.end()
		ds.forget(d)
	})
}

// closeWithin is how long a database may take to close its files, for which it writes what
// is in its journal to its place and waits for the disk. It takes some milliseconds.
const closeWithin = 10 * time.Second

// end lets the database close its files, and ends the process in any case. Any number may call it.
func (d *database) end() {
	d.process.conn.Close()
	select {
	case <-d.process.exited:
	case <-time.After(closeWithin):
		d.process.kill("")
		<-d.process.exited
	}
	d.spawner.stop()
}

// stop ends all databases. Users have a moment to finish: a commit that was begun is a
// few calls.
func (ds *databases) stop() {
	ds.mu.Lock()
	ds.stopped = true
	left := slices.Collect(maps.Values(ds.byWorkspace))
	ds.mu.Unlock()
	patience := time.NewTimer(usersMayTake)
	defer patience.Stop()
	for _, d := range left {
		<-d.started
		for waiting := true; waiting && d.err == nil && !d.unused(); {
			select {
			case <-d.left:
			case <-patience.C:
				patience.Reset(0)
				waiting = false
			}
		}
		if d.err == nil {
			d.end()
		}
	}
}

const usersMayTake = 5 * time.Second
