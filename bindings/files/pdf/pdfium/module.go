package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"unicode/utf16"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// ptr is an address in a module's memory, or an object that lies there. 0 is none.
type ptr uint32

// module is one instance of PDFium. It is not safe for concurrent use.
//
// A trap inside it (a failed check, memory that ran out, a stack that overflowed) leaves
// it in no state to go on: it panics with a trap, which guard turns into ErrBroken, and
// every later call fails alike.
type module struct {
	library *Library
	api     api.Module
	memory  api.Memory
	fns     [callCount]api.Function
	stack   [16]uint64
	ctx     context.Context // carries the module to system calls
	cancel  context.CancelFunc
	taken   bool // by a document
	closed  atomic.Bool
	broken  error
	files   openFiles
}

// ErrBroken is a document on which PDFium gave up: it needs more memory than there is for
// one, or it found a hole in PDFium.
var ErrBroken = errors.New("pdfium: it gave up on the document")

// ErrMemory is a process that has no memory left for another document.
var ErrMemory = errors.New("pdfium: no memory for a document")

// trap is what a call panics with.
type trap struct{ err error }

// guard turns a trap into an error. It is deferred by every exported method.
func guard(err *error) {
	switch p := recover().(type) {
	case nil:
	case trap:
		*err = p.err
	default:
		panic(p)
	}
}

// crowd is how many documents are open before those that nobody uses are looked for: their
// memory is not Go's, so that the garbage collector does not feel it.
const crowd = 12

// take gives a fresh instance, and has the next one made meanwhile: one takes a
// millisecond, which is a third of what most documents take.
func (l *Library) take() (*module, error) {
	var m *module
	select {
	case m = <-l.spare:
	default:
		var err error
		if m, err = l.instantiate(); err != nil {
			return nil, err
		}
	}
	if l.patience == 0 && l.preparing.CompareAndSwap(false, true) {
		go func() {
			defer l.preparing.Store(false)
			if next, err := l.instantiate(); err == nil {
				select {
				case l.spare <- next:
				default:
					next.close()
				}
			}
		}()
	}
	if l.open.Add(1) > crowd {
		runtime.GC() // documents that no cache holds any more go with the garbage
	}
	m.taken = true
	return m, nil
}

func (l *Library) instantiate() (m *module, err error) {
	instance, err := l.start(withMapped(context.Background()))
	if err != nil {
		return nil, err
	}
	m = &module{library: l, api: instance, memory: instance.Memory()}
	m.ctx, m.cancel = context.WithValue(context.Background(), moduleKey{}, m), func() {}
	if l.patience > 0 {
		m.ctx, m.cancel = context.WithTimeout(m.ctx, l.patience)
	}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	defer guard(&err)
	m.emscripten_stack_init()
	m.__wasm_call_ctors()
	m.FPDF_InitLibrary()
	return m, nil
}

// start makes an instance in the memory that ctx gives.
func (l *Library) start(ctx context.Context) (instance api.Module, err error) {
	defer func() { // wazero panics where there is no memory to be had
		if p := recover(); p != nil {
			instance, err = nil, fmt.Errorf("%w: %v", ErrMemory, p)
		}
	}()
	if instance, err = l.runtime.InstantiateModule(ctx, l.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		return nil, fmt.Errorf("pdfium: %w", err)
	}
	return instance, nil
}

// close may be called again.
func (m *module) close() {
	if m.closed.Swap(true) {
		return
	}
	m.cancel()
	m.api.Close(context.Background())
	if m.taken {
		m.library.open.Add(-1)
	}
}

// size is how much memory it takes.
func (m *module) size() int64 { return int64(m.memory.Size()) }

type moduleKey struct{}

// invoke calls a function with what stands in m.stack.
func (m *module) invoke(call int) {
	if m.broken != nil {
		panic(trap{m.broken})
	}
	f := m.fns[call]
	if f == nil {
		f = m.api.ExportedFunction(prototypes[call].name)
		m.fns[call] = f
	}
	if err := f.CallWithStack(m.ctx, m.stack[:]); err != nil {
		m.broken = fmt.Errorf("%w: %s: %w", ErrBroken, prototypes[call].name, err)
		panic(trap{m.broken})
	}
}

// alloc takes n bytes of the module's memory, which hold anything.
func (m *module) alloc(n int) ptr {
	p := m.malloc(max(n, 1))
	if p == 0 {
		m.broken = fmt.Errorf("%w: no %d bytes are left", ErrBroken, n)
		panic(trap{m.broken})
	}
	return p
}

// bytes is a view of memory, good until the next call.
func (m *module) bytes(p ptr, n int) []byte {
	view, ok := m.memory.Read(uint32(p), uint32(n))
	if !ok || n < 0 {
		m.broken = fmt.Errorf("%w: an address beyond its memory", ErrBroken)
		panic(trap{m.broken})
	}
	return view
}

// put copies data into the module, with a zero behind it.
func (m *module) put(data []byte) ptr {
	p := m.alloc(len(data) + 1)
	view := m.bytes(p, len(data)+1)
	copy(view, data)
	view[len(data)] = 0
	return p
}

// putString makes a C string.
func (m *module) putString(s string) ptr { return m.put([]byte(s)) }

// putWide makes a UTF-16 string.
func (m *module) putWide(s string) ptr {
	units := utf16.Encode([]rune(s))
	data := make([]byte, 2*len(units)+1)
	for i, u := range units {
		binary.LittleEndian.PutUint16(data[2*i:], u)
	}
	return m.put(data) // and put's own zero is the other half of the last one
}

// wide reads n UTF-16 units, up to a zero.
func (m *module) wide(p ptr, n int) string {
	data := m.bytes(p, 2*n)
	units := make([]uint16, 0, n)
	for i := range n {
		u := binary.LittleEndian.Uint16(data[2*i:])
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// maxString is the longest string that is taken from a document, in bytes.
const maxString = 8 << 20

// wideOf asks for a UTF-16 string as most of PDFium's functions give one: ask is called
// with no buffer for the length in bytes, then with one.
func (m *module) wideOf(ask func(buf ptr, size int) int) string {
	n := ask(0, 0)
	if n <= 2 || n > maxString {
		return ""
	}
	buf := m.alloc(n)
	defer m.drop(buf)
	n = min(n, ask(buf, n))
	return m.wide(buf, n/2)
}

// narrowOf is wideOf for strings of bytes.
func (m *module) narrowOf(ask func(buf ptr, size int) int) string {
	n := ask(0, 0)
	if n <= 1 || n > maxString {
		return ""
	}
	buf := m.alloc(n)
	defer m.drop(buf)
	n = min(n, ask(buf, n))
	data := m.bytes(buf, n)
	for i, b := range data {
		if b == 0 {
			return string(data[:i])
		}
	}
	return string(data)
}

// drop frees memory; in a module that is broken it does nothing, so that it can be deferred.
func (m *module) drop(p ptr) {
	if p != 0 && m.broken == nil {
		m.free(p)
	}
}

// floats reads n floats.
func (m *module) floats(p ptr, n int) []float64 {
	data := m.bytes(p, 4*n)
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return out
}

// doubles reads n doubles.
func (m *module) doubles(p ptr, n int) []float64 {
	data := m.bytes(p, 8*n)
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return out
}

// ints reads n ints.
func (m *module) ints(p ptr, n int) []int {
	data := m.bytes(p, 4*n)
	out := make([]int, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return out
}
