package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine"
)

// Pictures, beside sharp on the same files and from file to file. Each case is measured by the
// clock and by CPU time: threads can hide in one what the other shows.
var imageCases = func() []benchmark {
	var list []benchmark
	for _, op := range imageOps {
		list = append(list, op.measured(false), op.measured(true))
	}
	return append(list, imageSum(false), imageSum(true), imageBuiltin,
		benchmark{
			name: "image: resize a JPEG of 48 MP to 800, memory of the process",
			goal: goal{text: "< 150 MB", mb: 150},
			peak: func(ctx context.Context, lab *lab) (float64, error) { return lab.imagePeak(ctx) },
		})
}()

// imageOp is an operation of ours; the peer has it by the same name, with "image-" in front.
type imageOp struct {
	name, peer string
	call       string // out is a name that is not taken, but for its ending
}

var imageOps = []imageOp{
	{"resize a JPEG of 12 MP to 800", "resize-12", `files.image.resize('p12.jpg', 800, null, { as: out + '.jpg' })`},
	{"resize a JPEG of 48 MP to 800", "resize-48", `files.image.resize('p48.jpg', 800, null, { as: out + '.jpg' })`},
	{"resize a PNG of 12 MP to 800", "resize-png", `files.image.resize('p12.png', 800, null, { as: out + '.png' })`},
	{"crop 1000 × 1000 of a JPEG of 12 MP", "crop", `files.image.crop('p12.jpg', { left: 1000, top: 800, width: 1000, height: 1000 }, { as: out + '.jpg' })`},
	{"JPEG to PNG, 12 MP", "to-png", `files.image.convert('p12.jpg', 'png', { as: out + '.png' })`},
	{"PNG to JPEG, 12 MP", "to-jpeg", `files.image.convert('p12.png', 'jpeg', { as: out + '.jpg' })`},
	{"JPEG to WebP, 12 MP", "to-webp", `files.image.convert('p12.jpg', 'webp', { as: out + '.webp' })`},
	{"WebP to JPEG, 12 MP", "from-webp", `files.image.convert('p12.webp', 'jpeg', { as: out + '.jpg' })`},
	{"two overlays on 12 MP", "composite", `files.image.composite('p12.jpg', [{ fileId: 'over.png', left: 100, top: 100 }, { fileId: 'over.png', left: 1500, top: 1200 }], { as: out + '.jpg' })`},
	{"toBase64 of 12 MP at 512", "base64", `files.image.toBase64('p12.jpg', { maxWidth: 512, maxHeight: 512 })`},
}

func (o imageOp) measured(cpu bool) benchmark {
	b := benchmark{name: "image: " + o.name + " (sharp)", peer: "image-" + o.peer, arg: ".", n: 1,
		goal: goal{text: "within 1.25×", ratio: 0.8},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.images(ctx, lab.host, cpu, o.call)
		}}
	if cpu {
		b.name, b.peer = "image: "+o.name+", CPU (sharp)", b.peer+"-cpu"
	}
	return b
}

// imageSum is all of them, one after the other.
func imageSum(cpu bool) benchmark {
	var calls []string
	for _, o := range imageOps {
		calls = append(calls, o.call)
	}
	b := imageOp{"all of these", "sum", ""}.measured(cpu)
	b.goal = goal{text: "ahead", ratio: 1}
	b.ours = func(ctx context.Context, lab *lab) ([]time.Duration, error) {
		times, err := lab.images(ctx, lab.host, cpu, calls...)
		var sum time.Duration
		for _, t := range times {
			sum += t
		}
		return []time.Duration{sum}, err
	}
	return b
}

var imageBuiltin = benchmark{
	name: "image: resize a JPEG of 12 MP to 800 without libvips, CPU (sharp)", peer: "image-resize-12-cpu", arg: ".", n: 1,
	goal: goal{text: "within 4×", ratio: 0.25},
	ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
		host, err := sandboxd.Open(ctx, sandboxd.Config{Dir: filepath.Join(lab.dir, "bare"), Concurrency: 1, Engines: &engine.Places{}})
		if err != nil {
			return nil, err
		}
		defer host.Close()
		if err := lab.takePictures(ctx, host); err != nil {
			return nil, err
		}
		return lab.images(ctx, host, true, imageOps[0].call)
	},
}

// images does each call in a run and gives its times; CPU times are of the whole run. A run
// ends by failing, so that nothing of it is kept.
func (l *lab) images(ctx context.Context, host *sandboxd.Host, cpu bool, calls ...string) ([]time.Duration, error) {
	if err := l.takePictures(ctx, host); err != nil {
		return nil, err
	}
	var times []time.Duration
	for _, call := range calls {
		answer := host.Run(ctx, sandboxd.Run{Script: `const out = 'out'; 
			const start = performance.now();
			const made = await ` + call + `;
			const took = performance.now() - start;
			if (!(made.width > 0)) throw new Error('nothing was made');
			throw new Error('[' + took + ']')`})
		_, text, found := strings.Cut(answer.Error.Error(), "[")
		var ms []float64
		if !found || json.Unmarshal([]byte("["+strings.TrimSpace(text)), &ms) != nil {
			return nil, answer.Error
		}
		took := durations(ms)
		if cpu {
			took = durations([]float64{answer.Receipt.CPUTime})
		}
		times = append(times, took...)
	}
	return times, nil
}

// takePictures makes the pictures, for both sides, and puts them into a host that lacks them.
func (l *lab) takePictures(ctx context.Context, host *sandboxd.Host) error {
	names := []string{"p12.jpg", "p48.jpg", "over.png", "p12.png", "p12.webp"}
	if _, err := os.Stat(l.path("p12.webp")); err != nil {
		if err := l.photograph(); err != nil {
			return err
		}
		if err := l.put(ctx, l.host, names[:3]); err != nil {
			return err
		}
		answer := l.host.Run(ctx, sandboxd.Run{Script: `const { engine } = await files.image.info('p12.jpg');
			if (!engine.startsWith('libvips')) throw new Error('libvips is needed to compare: make engines');
			await files.image.convert('p12.jpg', 'png', { as: 'p12.png' });
			await files.image.convert('p12.jpg', 'webp', { as: 'p12.webp' })`})
		if !answer.OK {
			return answer.Error
		}
		for _, name := range names[3:] {
			if err := l.fetch(ctx, name); err != nil {
				return err
			}
		}
	}
	if host == l.host {
		return nil
	}
	return l.put(ctx, host, names)
}

func (l *lab) put(ctx context.Context, host *sandboxd.Host, names []string) error {
	for _, name := range names {
		f, err := os.Open(l.path(name))
		if err != nil {
			return err
		}
		_, err = host.Files("").Put(ctx, sandboxd.Upload{Name: name, Replace: true, Body: f})
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) fetch(ctx context.Context, name string) error {
	from, err := l.host.Files("").Open(ctx, name, 0)
	if err != nil {
		return err
	}
	defer from.Data.Close()
	to, err := os.Create(l.path(name))
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, io.NewSectionReader(from.Data, 0, from.File.Size)); err != nil {
		return err
	}
	return to.Close()
}

// imagePeak is the most memory, in MB, of a new worker that resizes a large photo.
func (l *lab) imagePeak(ctx context.Context) (float64, error) {
	host, err := sandboxd.Open(ctx, sandboxd.Config{Dir: filepath.Join(l.dir, "peak"), Concurrency: 1})
	if err != nil {
		return 0, err
	}
	defer host.Close()
	if err := l.takePictures(ctx, host); err != nil {
		return 0, err
	}
	answer := host.Run(ctx, sandboxd.Run{Script: `await ` + strings.ReplaceAll(imageOps[1].call, "out +", "'out' +")})
	if !answer.OK {
		return 0, fmt.Errorf("resizing: %w", answer.Error)
	}
	return float64(answer.Receipt.PeakMemory) / (1 << 20), nil
}
