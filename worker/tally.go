package worker

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"regexp"
)

// A tally is where a child counts the operations of its current run, in memory that it
// shares with the daemon: a process that is killed can no longer say what it did. It begins
// with how many slots are in use; each has a name, ended by zeros, and its count.
const (
	tallyFD    = socketFD + 1
	tallyHead  = 8
	tallyName  = 56
	tallySlot  = tallyName + 8
	tallySlots = 255
	tallyBytes = tallyHead + tallySlots*tallySlot
)

// tally is the child's side. A nil one counts nothing.
type tally struct {
	shared []byte
	slots  map[string][]byte // counts, by name
}

// reset begins a run.
func (t *tally) reset() {
	if t == nil {
		return
	}
	clear(t.slots)
	binary.LittleEndian.PutUint64(t.shared, 0)
}

// add counts an operation, in 12 ns. What does not fit is not counted.
func (t *tally) add(name string) {
	if t == nil {
		return
	}
	count, ok := t.slots[name]
	if !ok {
		n := len(t.slots)
		if n == tallySlots || len(name) > tallyName {
			return
		}
		slot := t.shared[tallyHead+n*tallySlot:][:tallySlot]
		clear(slot)
		copy(slot, name)
		count = slot[tallyName:]
		t.slots[name] = count
		binary.LittleEndian.PutUint64(t.shared, uint64(n+1))
	}
	binary.LittleEndian.PutUint64(count, binary.LittleEndian.Uint64(count)+1)
}

// tallySheet is the daemon's side. A nil one has nothing.
type tallySheet struct{ file *os.File }

// reset forgets what earlier runs counted, whether or not the child does.
func (s *tallySheet) reset() {
	if s != nil {
		_, _ = s.file.WriteAt(make([]byte, tallyHead), 0)
	}
}

func (s *tallySheet) close() {
	if s != nil {
		s.file.Close()
	}
}

var operationName = regexp.MustCompile(`^[A-Za-z]+(\.[A-Za-z]+){0,3}$`)

// read gives the counts as far as they can be any: the child may have written anything.
func (s *tallySheet) read() map[string]int {
	if s == nil {
		return nil
	}
	data := make([]byte, tallyBytes)
	if _, err := io.ReadFull(io.NewSectionReader(s.file, 0, tallyBytes), data); err != nil {
		return nil
	}
	used := min(binary.LittleEndian.Uint64(data), tallySlots)
	calls := map[string]int{}
	for i := range int(used) {
		slot := data[tallyHead+i*tallySlot:][:tallySlot]
		name := bytes.TrimRight(slot[:tallyName], "\x00")
		if operationName.Match(name) {
			calls[string(name)] = int(min(binary.LittleEndian.Uint64(slot[tallyName:]), math.MaxInt32))
		}
	}
	return calls
}
