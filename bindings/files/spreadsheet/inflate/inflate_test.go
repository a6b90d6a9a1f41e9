package inflate

import (
	"bytes"
	stdflate "compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/flate"
)

// texts are contents that make the compressors choose every kind of block.
func texts() map[string][]byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 150_000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	skewed := make([]byte, 250_000)
	for i := range skewed {
		skewed[i] = byte(rnd.ExpFloat64() * 6) // long codes for the rare bytes
	}
	mixed := append(append(bytes.Clone(noise[:70_000]), worksheet(200)...), noise[70_000:140_000]...)
	return map[string][]byte{
		"empty": nil, "one": []byte("x"), "run": bytes.Repeat([]byte("a"), 300_000),
		"pairs": bytes.Repeat([]byte("ab"), 100_000), "noise": noise, "skewed": skewed,
		"worksheet": worksheet(1000), "mixed": mixed,
	}
}

// worksheet is XML like that of a sheet of 20 columns.
func worksheet(rows int) []byte {
	var b bytes.Buffer
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&b, `<row r="%d">`, r)
		for c := range 20 {
			fmt.Fprintf(&b, `<c r="%c%d" s="%d"><v>%d</v></c>`, 'A'+c, r, c%3, (r*7919+c*104729)%99991)
		}
		b.WriteString("</row>")
	}
	return b.Bytes()
}

func deflate(t testing.TB, text []byte, level int) []byte {
	var b bytes.Buffer
	w, err := stdflate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	return b.Bytes()
}

func TestReaderInflatesWhatOthersDeflated(t *testing.T) {
	for name, text := range texts() {
		for _, level := range []int{stdflate.HuffmanOnly, 0, 1, 6, 9} {
			packed := deflate(t, text, level)
			got, err := io.ReadAll(NewReader(bytes.NewReader(packed), 0, int64(len(packed))))
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s at level %d: %d bytes, %v; want %d", name, level, len(got), err, len(text))
			}
		}
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 5)
		for i := 0; i < len(text); i += 1000 { // many small blocks, stored ones among them
			w.Write(text[i:min(i+1000, len(text))])
			w.Flush()
		}
		w.Close()
		got, err := io.ReadAll(NewReader(bytes.NewReader(b.Bytes()), 0, int64(b.Len())))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s flushed: %d bytes, %v; want %d", name, len(got), err, len(text))
		}
	}
}

func TestReaderReadsTheMiddleOfAFile(t *testing.T) {
	text := worksheet(100)
	packed := deflate(t, text, 6)
	file := append(append(bytes.Repeat([]byte{0xff}, 77), packed...), bytes.Repeat([]byte{0xff}, 99)...)
	got, err := io.ReadAll(NewReader(bytes.NewReader(file), 77, int64(len(packed))))
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
}

// Every checkpoint, wherever it falls, continues exactly where it was taken.
func TestCheckpointResumes(t *testing.T) {
	for name, text := range texts() {
		for _, level := range []int{0, 1, 6} {
			packed := deflate(t, text, level)
			src := bytes.NewReader(packed)
			r := NewReader(src, 0, int64(len(packed)))
			var points []Checkpoint
			buf := make([]byte, 40_000)
			for {
				_, err := r.Read(buf)
				if at, ok := r.Checkpoint(); ok && (len(points) == 0 || points[len(points)-1].Offset < at.Offset) {
					points = append(points, at)
				}
				if err != nil {
					break
				}
			}
			if len(text) > 3*chunkSize && len(points) < 2 {
				t.Errorf("%s at level %d: %d checkpoints", name, level, len(points))
			}
			for i, at := range points {
				if i%3 != 0 && i != len(points)-1 {
					continue
				}
				r.Resume(src, 0, int64(len(packed)), at)
				got, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(got, text[at.Offset:]) {
					t.Errorf("%s at level %d, resumed at %d: %d bytes, %v; want %d", name, level, at.Offset, len(got), err, int64(len(text))-at.Offset)
				}
			}
		}
	}
}

func TestReaderReportsDamage(t *testing.T) {
	text := worksheet(300)
	packed := deflate(t, text, 6)
	for n := range len(packed) {
		if n%97 != 0 {
			continue
		}
		got, err := io.ReadAll(NewReader(bytes.NewReader(packed[:n]), 0, int64(n)))
		if err == nil || !bytes.HasPrefix(text, got) {
			t.Errorf("cut at %d of %d: %d bytes, %v", n, len(packed), len(got), err)
		}
	}
	if _, err := io.ReadAll(NewReader(bytes.NewReader([]byte{0x07, 0}), 0, 2)); err != ErrCorrupt {
		t.Errorf("a block of type 3: %v", err)
	}
}

// Whatever the bytes are, the answer is that of klauspost's and of the standard library.
func FuzzReader(f *testing.F) {
	for _, text := range texts() {
		f.Add(deflate(f, text[:min(len(text), 3000)], 6))
		f.Add(deflate(f, text[:min(len(text), 3000)], 1))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		const most = 1 << 20
		want, wantErr := io.ReadAll(io.LimitReader(stdflate.NewReader(bytes.NewReader(packed)), most))
		r := NewReader(bytes.NewReader(packed), 0, int64(len(packed)))
		got, err := io.ReadAll(io.LimitReader(r, most))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("err %v, want %v (%d and %d bytes)", err, wantErr, len(got), len(want))
		}
		if wantErr == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes differ from %d", len(got), len(want))
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := worksheet(20_000)
	packed := deflate(b, text, 6)
	src := bytes.NewReader(packed)
	buf := make([]byte, 64<<10)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		r := NewReader(src, 0, int64(len(packed)))
		for b.Loop() {
			r.Reset(src, 0, int64(len(packed)))
			for err := error(nil); err == nil; {
				_, err = r.Read(buf)
			}
		}
	})
	b.Run("klauspost", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		r := flate.NewReader(bytes.NewReader(packed))
		for b.Loop() {
			r.(flate.Resetter).Reset(bytes.NewReader(packed), nil)
			for err := error(nil); err == nil; {
				_, err = r.Read(buf)
			}
		}
	})
}
