package spreadsheet

import (
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
)

// circular is the error of formulas that refer to themselves. Spreadsheet programs have no
// value for it: Excel shows a message and 0.
const circular = "#CIRC!"

const (
	maxGraphFormulas = 200_000   // formulas that circles are looked for among
	maxGraphEdges    = 2_000_000 // pairs of a formula and one that it reads
)

// graph is which formulas of a workbook read which. Its nodes are numbered as they are met.
type graph struct {
	wb     *xlsx.Workbook
	sheets map[int]map[int][]int // by sheet and column, the rows of formulas, ascending
	cols   map[int][]int         // by sheet, the columns of formulas, ascending
	ids    map[node]int
	nodes  []node
	texts  map[node]string
	lost   map[node]bool // formulas that have no value
	edges  int
}

type node struct {
	sheet int
	at    sheet.Ref
}

func newGraph(wb *xlsx.Workbook) *graph {
	return &graph{wb: wb, sheets: map[int]map[int][]int{}, cols: map[int][]int{}, ids: map[node]int{}, texts: map[node]string{}, lost: map[node]bool{}}
}

// addUnresolved adds a formula that has no value, so that those that read it have none. It
// is as one that refers to itself.
func (g *graph) addUnresolved(n node) {
	g.add(n, "")
	g.lost[n] = true
}

// add adds a formula. Those of a sheet come by row and column.
func (g *graph) add(n node, formula string) {
	if len(g.texts) == maxGraphFormulas {
		return
	}
	byCol := g.sheets[n.sheet]
	if byCol == nil {
		byCol = map[int][]int{}
		g.sheets[n.sheet] = byCol
	}
	byCol[n.at.Col] = append(byCol[n.at.Col], n.at.Row)
	g.texts[n] = formula
}

// circles says of the formulas among cells that go in a circle, or read one that does,
// why they have no value. The library computes them as if the circle had begun with nothing.
// It finds none where the workbook has too many formulas.
func (g *graph) circles(ctx context.Context, i int, cells []sheet.Ref) (why map[sheet.Ref]string) {
	for k, byCol := range g.sheets {
		g.cols[k] = slices.Sorted(maps.Keys(byCol))
	}
	if len(g.texts) == maxGraphFormulas {
		return nil
	}
	state := g.components(ctx, i, cells)
	if ctx.Err() != nil || g.edges > maxGraphEdges {
		return nil
	}
	why = map[sheet.Ref]string{}
	for _, at := range cells {
		n := node{i, at}
		id, ok := g.ids[n]
		if !ok || state[id].circle < 0 {
			continue
		}
		first := g.nodes[state[id].circle]
		name := first.at.String()
		if first.sheet != i {
			one := sheet.Range{MinCol: first.at.Col, MinRow: first.at.Row, MaxCol: first.at.Col, MaxRow: first.at.Row}
			name = xlsx.Place{Sheet: g.wb.Sheets()[first.sheet].Name, Area: one}.Formula()
		}
		switch {
		case g.lost[first]:
			why[at] = readsUnresolved
		case !state[id].within:
			why[at] = "the formula reads a circular reference, at " + name
		case first == n:
			why[at] = "the formula refers to itself"
		default:
			why[at] = "the formula refers to itself, by way of " + name
		}
	}
	return why
}

// reads lists the formulas that a formula reads, whatever its values are.
func (g *graph) reads(n node) (list []int) {
	if g.lost[n] {
		return []int{g.id(n)}
	}
	xlsx.Reads(g.texts[n], func(name string, area sheet.Range) {
		k := n.sheet
		if name != "" {
			i, err := findSheet(g.wb, name)
			if err != nil {
				return
			}
			k = i
		}
		for _, col := range g.cols[k] {
			if col < area.MinCol || col > area.MaxCol {
				continue
			}
			rows := g.sheets[k][col]
			for r := sort.SearchInts(rows, area.MinRow); r < len(rows) && rows[r] <= area.MaxRow && g.edges <= maxGraphEdges; r++ {
				g.edges++
				list = append(list, g.id(node{k, sheet.Ref{Col: col, Row: rows[r]}}))
			}
		}
	})
	return list
}

func (g *graph) id(n node) int {
	id, ok := g.ids[n]
	if !ok {
		id = len(g.nodes)
		g.ids[n] = id
		g.nodes = append(g.nodes, n)
	}
	return id
}

// visit is what is known of a node: Tarjan's numbers, and the circle that it is in or reads.
type visit struct {
	index, low int // from 1; 0 is not met yet
	open       bool
	circle     int  // a node of the circle, -1 if there is none
	within     bool // it is part of the circle
}

// components finds the circles that can be reached from cells: the strongly connected
// components, as Tarjan does it, with a stack of its own.
func (g *graph) components(ctx context.Context, i int, cells []sheet.Ref) []visit {
	type frame struct {
		id, next int
		reads    []int
	}
	var state []visit
	var stack []int // nodes whose component is not complete
	var path []frame
	met := 0
	enter := func(id int) {
		met++
		reads := g.reads(g.nodes[id])
		for len(state) < len(g.nodes) {
			state = append(state, visit{circle: -1})
		}
		state[id].index, state[id].low, state[id].open = met, met, true
		stack = append(stack, id)
		path = append(path, frame{id: id, reads: reads})
	}
	for _, at := range cells {
		root := node{i, at}
		if _, ok := g.texts[root]; !ok {
			continue
		}
		if id := g.id(root); id >= len(state) || state[id].index == 0 {
			enter(id)
		}
		for len(path) > 0 && g.edges <= maxGraphEdges && ctx.Err() == nil {
			f := &path[len(path)-1]
			v := &state[f.id]
			if f.next < len(f.reads) {
				to := f.reads[f.next]
				f.next++
				switch w := state[to]; {
				case to == f.id:
					v.circle, v.within = to, true
				case w.index == 0:
					enter(to)
				case w.open:
					v.low = min(v.low, w.index)
				case w.circle >= 0 && v.circle < 0:
					v.circle = w.circle
				}
				continue
			}
			id := f.id
			path = path[:len(path)-1]
			if v.low == v.index {
				g.close(state, &stack, id)
			}
			if len(path) > 0 {
				above := &state[path[len(path)-1].id]
				switch v := state[id]; {
				case v.open:
					above.low = min(above.low, v.low)
				case v.circle >= 0 && above.circle < 0:
					above.circle = v.circle
				}
			}
		}
		path = path[:0]
	}
	return state
}

// close takes a complete component, whose first node is id, off the stack.
func (g *graph) close(state []visit, stack *[]int, id int) {
	from := len(*stack) - 1
	for (*stack)[from] != id {
		from--
	}
	members := (*stack)[from:]
	circle := -1
	if len(members) > 1 {
		circle = members[0]
	}
	for _, m := range members {
		state[m].open = false
		if circle >= 0 {
			if state[m].circle, state[m].within = circle, true; m == circle {
				state[m].circle = members[1] // by way of another one
			}
		}
	}
	*stack = (*stack)[:from]
}

// circlesWanted tells whether the workbook says that circles are to be followed for a while.
func (c *calculation) circlesWanted() bool {
	props, err := c.file.GetCalcProps()
	return err == nil && props.Iterate != nil && *props.Iterate
}

// markCircles takes the formulas that go in a circle, or that read one without a value, out
// of those to compute.
func (c *calculation) markCircles(ctx context.Context, g *graph) {
	if c.circlesWanted() {
		return
	}
	refs := make([]sheet.Ref, len(c.cells))
	for i, cell := range c.cells {
		refs[i] = cell.at
	}
	why := g.circles(ctx, c.sheet, refs)
	for i := range c.cells {
		cell := &c.cells[i]
		switch because := why[cell.at]; {
		case because == "" || cell.why != "":
		case because == readsUnresolved:
			cell.why = because
		default:
			cell.why, cell.value, cell.done = because, sheet.Err(circular), true
		}
	}
}
