package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/problem"
)

// Report is what Doctor found.
type Report struct {
	Layers  []Layer         `json:"layers"`
	Engines []engine.Status `json:"engines,omitempty"`
}

// Doctor measures each layer of the hardening: it starts workers as a pool does and has
// them try what they must not be able to do, or looks at them from outside. A layer is on
// if it was seen to hold. An error means that no worker could be started at all.
func Doctor(ctx context.Context, c Config) (Report, error) {
	c, err := c.withDefaults()
	if err != nil {
		return Report{}, err
	}
	l, err := newLauncher(c.Executable)
	if err != nil {
		return Report{}, err
	}
	defer l.close()
	on := newSpawner(pathRules(c.Executable, reach{engines: c.Engines}))
	defer on.stop()
	d := &doctor{ctx: ctx, launcher: l, spawner: on, config: c}

	// One without seccomp, which would answer before landlock is asked.
	bare, err := d.start(settings{Role: roleProbe, Limits: c.Limits, NoSeccomp: true})
	if err != nil {
		return Report{}, err
	}
	defer d.end(bare)
	full, err := d.start(settings{Role: roleProbe, Limits: c.Limits})
	if err != nil {
		return Report{}, err
	}
	defer d.end(full)

	var r Report
	r.Layers = append(r.Layers, d.examine(full)...)
	r.Layers = append(r.Layers,
		d.landlock(bare), d.seccomp(full),
		on.namespaces(), d.parentDeath(bare), d.watchdogs(full))
	r.Layers = append(r.Layers, limitLayers(full.layers)...)

	script, err := d.start(settings{Role: roleScript, Limits: c.Limits, Engines: c.Engines})
	if err != nil {
		return r, err
	}
	defer d.end(script)
	return r, script.conn.Call(ctx, methodEngines, nil, &r.Engines)
}

type doctor struct {
	ctx      context.Context
	config   Config
	launcher *launcher
	spawner  *spawner
}

func (d *doctor) start(s settings) (*process, error) {
	return d.launcher.launch(d.ctx, d.spawner, s)
}

func (d *doctor) end(p *process) {
	p.kill("")
	<-p.exited
}

// try has a child make an attempt. It gives how it was refused, or "" if it succeeded;
// a system call that ends the process is a refusal too.
func (d *doctor) try(p *process, name string) (refused string, err error) {
	var answer tried
	err = p.conn.Call(d.ctx, methodTry, name, &answer)
	if err == nil {
		return answer.Error, nil
	}
	if problem.CodeOf(err) == problem.UnknownOperation {
		return "", errLinuxOnly
	}
	if d.ctx.Err() != nil {
		return "", d.ctx.Err()
	}
	p.conn.Close()
	<-p.exited
	if p.death().wait().signal == syscall.SIGSYS {
		return "killed", nil
	}
	if name == "become a program" {
		return "", nil // it did, and that has ended
	}
	return "", fmt.Errorf("the probe ended: %w", p.death().problem())
}

// landlock has a child whose system calls are free try to reach a file.
func (d *doctor) landlock(bare *process) Layer {
	if i := slices.IndexFunc(d.spawner.layers, func(l Layer) bool { return l.Name == "landlock" && l.State != On }); i >= 0 {
		return d.spawner.layers[i]
	}
	return d.refusedAll("landlock", bare, "tried with system calls free: ",
		[]string{"open a file", "list a folder", "create a file", "start a program"})
}

// seccomp has children try calls that landlock does not stop. One that ends its process is
// tried in a process of its own.
func (d *doctor) seccomp(full *process) Layer {
	for _, l := range full.layers {
		if l.Name == "seccomp" && l.State != On {
			return l
		}
	}
	l := d.refusedAll("seccomp", full, "refused: ", []string{"open a file", "reopen a descriptor", "make memory executable", "raise a limit", "fork"})
	if l.State != On {
		return l
	}
	deadly := []string{"open a socket", "open a unix socket", "become a program", "signal a process", "make a memory file", "use io_uring"}
	for _, name := range deadly {
		p, err := d.start(settings{Role: roleProbe, Limits: d.config.Limits})
		if err != nil {
			return Layer{l.Name, Off, err.Error()}
		}
		refused, err := d.try(p, name)
		d.end(p)
		if err != nil || refused == "" {
			return Layer{l.Name, Off, fmt.Sprintf("a worker could %s (%v)", name, err)}
		}
	}
	l.Why += "; ended by: " + strings.Join(deadly, ", ")
	return l
}

// refusedAll gives a layer that is on if each attempt is refused.
func (d *doctor) refusedAll(layer string, p *process, why string, names []string) Layer {
	for _, name := range names {
		refused, err := d.try(p, name)
		if err != nil {
			return Layer{layer, Off, fmt.Sprintf("could not be tried: %v", err)}
		}
		if refused == "" {
			return Layer{layer, Off, "a worker could " + name}
		}
	}
	return Layer{layer, On, why + strings.Join(names, ", ")}
}

// parentDeath asks a child what happens to it when the daemon dies.
func (d *doctor) parentDeath(bare *process) Layer {
	refused, err := d.try(bare, "survive the daemon")
	switch {
	case err != nil:
		return Layer{"death with the daemon", NotAvailable, "workers end when they see the connection closed: " + err.Error()}
	case refused == "":
		return Layer{"death with the daemon", Off, "workers end when they see the connection closed"}
	}
	return Layer{"death with the daemon", On, "the kernel kills workers when the daemon ends (Pdeathsig)"}
}

// watchdogs reads a child's memory and CPU as the daemon's watchdog does.
func (d *doctor) watchdogs(p *process) Layer {
	resident, _ := p.gauge.memory()
	switch {
	case resident <= 0:
		return Layer{"watchdogs", NotAvailable, "the daemon cannot read a worker's memory; the worker watches its own, and the deadline holds"}
	case p.gauge.cpu() <= 0:
		return Layer{"watchdogs", NotAvailable, "the daemon cannot read a worker's CPU time; the deadline holds"}
	}
	return Layer{"watchdogs", On, fmt.Sprintf("memory and CPU are read from outside every %s, less often far from the limits; an idle worker has %d MB", watchEvery, resident>>20)}
}

// limitLayers are those that a child put on itself and that only it reports.
func limitLayers(layers []Layer) []Layer {
	return slices.DeleteFunc(slices.Clone(layers), func(l Layer) bool {
		return !strings.HasPrefix(l.Name, "RLIMIT_")
	})
}
