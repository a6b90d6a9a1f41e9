package pdfium

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// Numbers of errors: the first kind is answered, negated, by system calls of musl, the
// second by WASI.
const (
	enoent    = 44
	enotty    = 59
	wasiBadFD = 8
)

// systemCall is what PDFium gets when it calls its system: memory, fonts, and otherwise
// nothing. 32-bit arguments carry anything in their upper halves.
func systemCall(name string, answers bool) api.GoModuleFunc {
	if call, ok := systemCalls[name]; ok {
		return call
	}
	return func(_ context.Context, _ api.Module, s []uint64) {
		if answers {
			s[0] = api.EncodeI32(-enoent)
		}
	}
}

var systemCalls = map[string]api.GoModuleFunc{
	"emscripten_resize_heap": func(_ context.Context, m api.Module, s []uint64) {
		s[0] = resizeHeap(m.Memory(), uint64(uint32(s[0])))
	},
	"_emscripten_memcpy_js": func(_ context.Context, m api.Module, s []uint64) {
		if from, ok := m.Memory().Read(uint32(s[1]), uint32(s[2])); ok {
			m.Memory().Write(uint32(s[0]), from)
		}
	},
	"_abort_js":     func(context.Context, api.Module, []uint64) { panic("abort") },
	"__assert_fail": func(context.Context, api.Module, []uint64) { panic("an assertion failed") },

	// It is always the beginning of 1970 in UTC: what is written is the same every time.
	"emscripten_date_now": func(_ context.Context, _ api.Module, s []uint64) { s[0] = api.EncodeF64(0) },
	"_tzset_js":           func(context.Context, api.Module, []uint64) {},
	"_localtime_js":       brokenDownTime,
	"_gmtime_js":          brokenDownTime,

	"environ_sizes_get": func(_ context.Context, m api.Module, s []uint64) {
		m.Memory().WriteUint32Le(uint32(s[0]), 0)
		m.Memory().WriteUint32Le(uint32(s[1]), 0)
		s[0] = 0
	},
	"environ_get": func(_ context.Context, _ api.Module, s []uint64) { s[0] = 0 },
	"fd_sync":     func(_ context.Context, _ api.Module, s []uint64) { s[0] = 0 },
	"fd_write":    discard,

	"__syscall_openat":     withModule(openat),
	"__syscall_getdents64": withModule(getdents),
	"__syscall_fstat64":    withModule(fstat),
	"__syscall_stat64":     withModule(func(m *module, s []uint64) { s[0] = m.stat(uint32(s[0]), uint32(s[1])) }),
	"__syscall_lstat64":    withModule(func(m *module, s []uint64) { s[0] = m.stat(uint32(s[0]), uint32(s[1])) }),
	"__syscall_newfstatat": withModule(func(m *module, s []uint64) { s[0] = m.stat(uint32(s[1]), uint32(s[2])) }),
	"__syscall_fcntl64":    func(_ context.Context, _ api.Module, s []uint64) { s[0] = 0 },
	"__syscall_ioctl":      func(_ context.Context, _ api.Module, s []uint64) { s[0] = api.EncodeI32(-enotty) },
	"fd_read":              withModule(fdRead),
	"fd_seek":              withModule(fdSeek),
	"fd_close":             withModule(fdClose),
}

func withModule(call func(m *module, s []uint64)) api.GoModuleFunc {
	return func(ctx context.Context, _ api.Module, s []uint64) {
		call(ctx.Value(moduleKey{}).(*module), s)
	}
}

// resizeHeap grows the memory to want bytes and some more; the answer is whether it did.
func resizeHeap(memory api.Memory, want uint64) uint64 {
	const page = 1 << 16
	have := uint64(memory.Size())
	if want <= have {
		return 1
	}
	for _, size := range []uint64{max(want, have+have/4), want} {
		if _, ok := memory.Grow(uint32((size - have + page - 1) / page)); ok {
			return 1
		}
	}
	return 0
}

// brokenDownTime fills a struct tm. The time is an i64.
func brokenDownTime(_ context.Context, m api.Module, s []uint64) {
	t := time.Unix(int64(s[0]), 0).UTC()
	for i, v := range []int{t.Second(), t.Minute(), t.Hour(), t.Day(), int(t.Month()) - 1, t.Year() - 1900, int(t.Weekday()), t.YearDay() - 1, 0} {
		m.Memory().WriteUint32Le(uint32(s[1])+uint32(4*i), uint32(v))
	}
}

// discard is fd_write of what PDFium prints.
func discard(_ context.Context, m api.Module, s []uint64) {
	var total uint32
	for i := range min(uint32(s[2]), 1024) {
		n, _ := m.Memory().ReadUint32Le(uint32(s[1]) + 8*i + 4)
		total += n
	}
	m.Memory().WriteUint32Le(uint32(s[3]), total)
	s[0] = 0
}
