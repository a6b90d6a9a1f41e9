package xlsx

import (
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// anchor moves a drawing with the cells that it lies on.
func (f *follower) anchor(n *node) {
	from, to := n.child("from"), n.child("to")
	if from == nil || len(f.own) == 0 || n.get("editAs") == "absolute" {
		return
	}
	moveCells := n.name == "anchor" && n.get("moveWithCells") != "" && n.get("moveWithCells") != "1" && n.get("moveWithCells") != "true"
	if moveCells {
		return
	}
	oneCell := n.get("editAs") == "oneCell"
	for _, s := range f.own {
		index, offset := "row", "rowOff"
		if s.columns {
			index, offset = "col", "colOff"
		}
		start, ok := cornerOf(from, index)
		if !ok {
			continue
		}
		now := s.corner(from, start, index, offset, false)
		if end, ok := cornerOf(to, index); ok {
			if oneCell {
				to.child(index).setText(strconv.Itoa(max(end+now-start, 0)))
			} else {
				s.corner(to, end, index, offset, true)
			}
		}
	}
}

func cornerOf(n *node, index string) (int, bool) {
	if n == nil || n.child(index) == nil {
		return 0, false
	}
	i, err := strconv.Atoi(strings.TrimSpace(n.child(index).text()))
	return i, err == nil && i >= 0 && i <= sheet.MaxRow
}

// corner moves one end of a drawing: index is counted from 0. One that lies on what is
// deleted goes to where that was; an end that only touches what is inserted stays.
func (s shift) corner(n *node, i int, index, offset string, end bool) int {
	off := n.child(offset)
	if end && !s.delete && i+1 == s.at && off != nil && strings.TrimSpace(off.text()) == "0" {
		return i
	}
	now, ok := s.index(i + 1)
	if s.delete && !ok && off != nil {
		off.setText("0")
	}
	now = min(now, s.max()) - 1
	n.child(index).setText(strconv.Itoa(now))
	return now
}
