package sheet

import "strings"

// Arena holds many short strings in few pieces of memory: a sheet of two million cells
// would otherwise cost as many allocations. Its zero value is ready. It must not be
// copied, and is not safe for concurrent use; the strings are.
type Arena struct {
	block strings.Builder
	next  int
	size  int64
}

const (
	smallestBlock = 4 << 10
	largestBlock  = 256 << 10
)

// Add copies a text into the arena.
func (a *Arena) Add(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if a.block.Cap()-a.block.Len() < len(text) {
		if len(text) > largestBlock/8 {
			a.size += int64(len(text))
			return string(text)
		}
		a.next = min(max(a.next*2, smallestBlock), largestBlock)
		size := max(a.next, len(text))
		a.block = strings.Builder{}
		a.block.Grow(size)
		a.size += int64(size)
	}
	start := a.block.Len()
	a.block.Write(text)
	return a.block.String()[start:]
}

// Size is how many bytes all texts take.
func (a *Arena) Size() int64 { return a.size }
