package pdfium

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// fonts are the files that documents without fonts of their own are shown with. PDFium
// looks for them in /usr/share/fonts and finds these there. They are opened once, since a
// worker opens nothing later.
type fonts struct {
	names []string
	files map[string]*font
}

type font struct {
	data *os.File
	size int64
}

const (
	fontFolder = "/usr/share/fonts"
	// maxFonts bounds the descriptors, and the time of a look through them, which every
	// document whose fonts are missing takes.
	maxFonts = 48
)

// openFonts opens the fonts in folders, the first folder's first.
func openFonts(folders []string) *fonts {
	f := &fonts{files: map[string]*font{}}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil // what cannot be read is not there
			}
			if len(f.names) == maxFonts {
				return fs.SkipAll
			}
			f.add(path)
			return nil
		})
	}
	return f
}

func (f *fonts) add(path string) {
	name := filepath.Base(path)
	switch strings.ToLower(filepath.Ext(name)) {
	case ".ttf", ".ttc", ".otf":
	default:
		return
	}
	if f.files[name] != nil || len(name) > 200 {
		return
	}
	data, err := os.Open(path)
	if err != nil {
		return
	}
	info, err := data.Stat()
	if err != nil || !info.Mode().IsRegular() {
		data.Close()
		return
	}
	f.names = append(f.names, name)
	f.files[name] = &font{data, info.Size()}
}

func (f *fonts) close() {
	for _, file := range f.files {
		file.data.Close()
	}
}

// openFiles are the descriptors of an instance.
type openFiles struct {
	byFD map[int32]*openFile
	next int32
}

// openFile is a font, or the folder if font is nil.
type openFile struct {
	font     *font
	position int64
	entry    int // the next one to be listed
}

// path reads a C string.
func (m *module) path(p uint32) string {
	var b []byte
	for len(b) < 4096 {
		c, ok := m.memory.ReadByte(p + uint32(len(b)))
		if !ok || c == 0 {
			break
		}
		b = append(b, c)
	}
	return strings.TrimSuffix(string(b), "/")
}

// find gives what lies at a path.
func (m *module) find(path string) (f *openFile, ok bool) {
	if path == fontFolder {
		return &openFile{}, true
	}
	name, inside := strings.CutPrefix(path, fontFolder+"/")
	file := m.library.fonts.files[name]
	if !inside || file == nil {
		return nil, false
	}
	return &openFile{font: file}, true
}

func openat(m *module, s []uint64) {
	f, ok := m.find(m.path(uint32(s[1])))
	if !ok {
		s[0] = api.EncodeI32(-enoent)
		return
	}
	if m.files.byFD == nil {
		m.files = openFiles{byFD: map[int32]*openFile{}, next: 3}
	}
	fd := m.files.next
	m.files.next++
	m.files.byFD[fd] = f
	s[0] = api.EncodeI32(fd)
}

// getdents lists the folder: struct dirent64 is inode and offset (8 bytes each), its own
// length (2), the type (1) and the name.
func getdents(m *module, s []uint64) {
	const size = 280
	f := m.files.byFD[int32(uint32(s[0]))]
	if f == nil || f.font != nil {
		s[0] = api.EncodeI32(-wasiBadFD)
		return
	}
	at, room, done := uint32(s[1]), uint32(s[2]), uint32(0)
	for ; f.entry < len(m.library.fonts.names) && done+size <= room; f.entry++ {
		var entry [size]byte
		entry[0] = byte(f.entry + 1)
		entry[8] = byte(f.entry + 1)
		entry[16], entry[17] = size&255, size>>8
		entry[18] = 8 // a regular file
		copy(entry[19:], m.library.fonts.names[f.entry])
		m.memory.Write(at+done, entry[:])
		done += size
	}
	s[0] = uint64(done)
}

func fstat(m *module, s []uint64) {
	f := m.files.byFD[int32(uint32(s[0]))]
	if f == nil {
		s[0] = api.EncodeI32(-wasiBadFD)
		return
	}
	s[0] = m.writeStat(f, uint32(s[1]))
}

func (m *module) stat(path, buf uint32) uint64 {
	f, ok := m.find(m.path(path))
	if !ok {
		return api.EncodeI32(-enoent)
	}
	return m.writeStat(f, buf)
}

// writeStat fills emscripten's struct stat: st_mode at 4, st_size at 24.
func (m *module) writeStat(f *openFile, buf uint32) uint64 {
	m.memory.Write(buf, make([]byte, 96))
	mode, size := uint32(0o040555), int64(0)
	if f.font != nil {
		mode, size = 0o100444, f.font.size
	}
	m.memory.WriteUint32Le(buf+4, mode)
	m.memory.WriteUint64Le(buf+24, uint64(size))
	return 0
}

func fdRead(m *module, s []uint64) {
	f := m.files.byFD[int32(uint32(s[0]))]
	if f == nil || f.font == nil {
		s[0] = wasiBadFD
		return
	}
	total := uint32(0)
	for i := range min(uint32(s[2]), 1024) {
		at, _ := m.memory.ReadUint32Le(uint32(s[1]) + 8*i)
		n, _ := m.memory.ReadUint32Le(uint32(s[1]) + 8*i + 4)
		view, ok := m.memory.Read(at, n)
		if !ok {
			break
		}
		read, _ := f.font.data.ReadAt(view, f.position)
		f.position += int64(read)
		total += uint32(read)
		if uint32(read) < n {
			break
		}
	}
	m.memory.WriteUint32Le(uint32(s[3]), total)
	s[0] = 0
}

// fdSeek takes the offset, an i64, in two halves.
func fdSeek(m *module, s []uint64) {
	f := m.files.byFD[int32(uint32(s[0]))]
	if f == nil || f.font == nil {
		s[0] = wasiBadFD
		return
	}
	offset := int64(uint64(uint32(s[1])) | uint64(uint32(s[2]))<<32)
	switch uint32(s[3]) {
	case 1:
		offset += f.position
	case 2:
		offset += f.font.size
	}
	f.position = max(offset, 0)
	m.memory.WriteUint64Le(uint32(s[4]), uint64(f.position))
	s[0] = 0
}

func fdClose(m *module, s []uint64) {
	delete(m.files.byFD, int32(uint32(s[0])))
	s[0] = 0
}

// describe tells which fonts there are, for tests.
func (f *fonts) describe() string {
	names := slices.Clone(f.names)
	slices.Sort(names)
	return strconv.Itoa(len(names)) + ": " + strings.Join(names, " ")
}
