package image

import (
	"context"
	goimage "image"
	"image/color"
	"math"
	"slices"

	"github.com/sandboxd/sandboxd/op"
)

type colorsIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Count  *int   `json:"count" min:"1" max:"32" doc:"How many colours at most. Defaults to 5."`
}

type colorsOut struct {
	Colors []colorShare `json:"colors" op:"result" doc:"The most frequent first"`
}

type colorShare struct {
	Color string  `json:"color" doc:"#RRGGBB"`
	Ratio float64 `json:"ratio" doc:"Of the pixels that are not transparent, 0 to 1"`
}

// colors finds the dominant colours of a small copy.
func colors(ctx context.Context, env *op.Env, in colorsIn) (out colorsOut, err error) {
	eng := engineOf(env)
	src, err := open(ctx, env, eng, in.FileID)
	if err != nil {
		return out, err
	}
	steps, err := src.inside(128, 128)
	if err != nil {
		return out, err
	}
	m, err := src.pixels(ctx, env, eng, 0, steps...)
	if err != nil {
		return out, err
	}
	n := 5
	if in.Count != nil {
		n = *in.Count
	}
	return colorsOut{dominant(m, n)}, nil
}

// cluster is colours that count as one.
type cluster struct{ r, g, b, n float64 }

func (c cluster) distance(o cluster) float64 {
	r, g, b := c.r-o.r, c.g-o.g, c.b-o.b
	return 2*r*r + 4*g*g + 3*b*b
}

// dominant clusters the colours by k-means, which begins with the most frequent ones that are
// apart from each other.
func dominant(m *goimage.NRGBA, n int) []colorShare {
	bins := map[int]*cluster{}
	var total float64
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		p := m.Pix[i : i+4]
		if p[3] < 128 {
			continue
		}
		key := int(p[0])>>3<<10 | int(p[1])>>3<<5 | int(p[2])>>3
		bin := bins[key]
		if bin == nil {
			bin = &cluster{}
			bins[key] = bin
		}
		bin.r, bin.g, bin.b, bin.n = bin.r+float64(p[0]), bin.g+float64(p[1]), bin.b+float64(p[2]), bin.n+1
		total++
	}
	points := make([]cluster, 0, len(bins))
	for _, bin := range bins {
		points = append(points, cluster{bin.r / bin.n, bin.g / bin.n, bin.b / bin.n, bin.n})
	}
	slices.SortFunc(points, func(a, b cluster) int { // the map's order must not show
		switch {
		case a.n != b.n:
			return int(b.n - a.n)
		case a.r != b.r:
			return int(math.Copysign(1, a.r-b.r))
		case a.g != b.g:
			return int(math.Copysign(1, a.g-b.g))
		}
		return int(math.Copysign(1, a.b-b.b))
	})
	centres := seeds(points, n)
	for range 10 {
		centres = regroup(points, centres)
	}
	slices.SortStableFunc(centres, func(a, b cluster) int { return int(b.n - a.n) })
	shares := []colorShare{}
	for _, c := range centres {
		if c.n > 0 {
			shares = append(shares, colorShare{hexOf(color.NRGBA{byte(c.r + 0.5), byte(c.g + 0.5), byte(c.b + 0.5), 255}), math.Round(c.n/total*1e4) / 1e4})
		}
	}
	return shares
}

// seeds takes colours that are many, and far from those taken.
func seeds(points []cluster, n int) (centres []cluster) {
	for len(centres) < min(n, len(points)) {
		best, at := -1.0, 0
		for i, p := range points {
			score := p.n
			for _, c := range centres {
				score = min(score, p.n*p.distance(c)/(9*48*48))
			}
			if score > best {
				best, at = score, i
			}
		}
		if best <= 0 {
			break
		}
		centres = append(centres, points[at])
	}
	return centres
}

func regroup(points, centres []cluster) []cluster {
	sums := make([]cluster, len(centres))
	for _, p := range points {
		nearest, at := math.Inf(1), 0
		for i, c := range centres {
			if d := p.distance(c); d < nearest {
				nearest, at = d, i
			}
		}
		s := &sums[at]
		s.r, s.g, s.b, s.n = s.r+p.r*p.n, s.g+p.g*p.n, s.b+p.b*p.n, s.n+p.n
	}
	for i, s := range sums {
		if s.n > 0 {
			sums[i] = cluster{s.r / s.n, s.g / s.n, s.b / s.n, s.n}
		}
	}
	return sums
}
