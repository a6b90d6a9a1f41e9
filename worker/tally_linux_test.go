package worker

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"testing"

	"golang.org/x/sys/unix"
)

// The daemon reads what a process has written that a script may have taken over.
func TestTally(t *testing.T) {
	sheet := newTallySheet()
	if sheet == nil {
		t.Skip("this system has no memory to share")
	}
	defer sheet.close()
	shared, err := unix.Mmap(int(sheet.file.Fd()), 0, tallyBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(shared)
	child := &tally{shared: shared, slots: map[string][]byte{}}

	for range 3 {
		child.add("files.list")
	}
	child.add("db.sql")
	child.add(string(make([]byte, tallyName+1)))
	if got := sheet.read(); !maps.Equal(got, map[string]int{"files.list": 3, "db.sql": 1}) {
		t.Errorf("counted %v", got)
	}
	sheet.reset()
	if got := sheet.read(); len(got) != 0 {
		t.Errorf("after a reset by the daemon: %v", got)
	}
	child.reset()
	for i := range tallySlots + 10 {
		child.add("files." + string(rune('a'+i/26)) + string(rune('a'+i%26)))
	}
	if got := sheet.read(); len(got) != tallySlots {
		t.Errorf("%d names", len(got))
	}

	for i := range shared {
		shared[i] = 0xff
	}
	if got := sheet.read(); len(got) != 0 {
		t.Errorf("of nonsense: %v", got)
	}
	binary.LittleEndian.PutUint64(shared, math.MaxUint64)
	for i, name := range []string{"files.list", "<script>", "../../etc", "a b", "", "files..list", "fi\x00les"} {
		slot := shared[tallyHead+i*tallySlot:]
		clear(slot[:tallyName])
		copy(slot, name)
	}
	if got := sheet.read(); !maps.Equal(got, map[string]int{"files.list": math.MaxInt32}) {
		t.Errorf("of lies: %v", got)
	}
	if err := sheet.file.Truncate(0); err == nil {
		t.Error("it can be made smaller")
	}
	if err := sheet.file.Truncate(1 << 30); err == nil {
		t.Error("it can be made larger: memory that no limit counts")
	}
}

func BenchmarkTally(b *testing.B) {
	child := &tally{shared: make([]byte, tallyBytes), slots: map[string][]byte{}}
	for i := range 8 {
		child.add(fmt.Sprint("files.", i))
	}
	for b.Loop() {
		child.add("files.3")
	}
}
