package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/klauspost/compress/zlib"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Optimize makes the document smaller without changing what it shows: streams are packed
// better, equal objects become one, and thumbnails and the private data of programs go.
func (d *Document) Optimize(ctx context.Context, maxStream int64) error {
	for _, p := range d.Pages {
		delete(p.Dict, "Thumb")
		delete(p.Dict, "PieceInfo")
	}
	delete(d.Catalog, "PieceInfo")
	for _, number := range slices.Sorted(maps.Keys(d.objects)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s, ok := d.object(number).(types.StreamDict); ok {
			if packed, ok := repack(s, maxStream); ok {
				d.objects[number] = packed
			}
		}
	}
	return d.unite(ctx)
}

// repack packs a stream by Flate if that makes it smaller. Images keep the codecs made
// for them.
func repack(s types.StreamDict, maxStream int64) (packed types.StreamDict, ok bool) {
	filter, isName := s.Dict["Filter"].(types.Name)
	if s.Dict["Filter"] != nil && !(isName && (filter == "FlateDecode" || filter == "LZWDecode" || filter == "ASCIIHexDecode" ||
		filter == "ASCII85Decode" || filter == "RunLengthDecode")) {
		return s, false
	}
	content := s.Raw
	parms := s.Dict["DecodeParms"]
	switch {
	case filter == "FlateDecode":
		// What a predictor prepared stays prepared: only the packing is done anew.
		r, err := zlib.NewReader(bytes.NewReader(s.Raw))
		if err != nil {
			return s, false
		}
		var b bytes.Buffer
		if n, err := b.ReadFrom(&bounded{r, maxStream}); err != nil || n >= maxStream {
			return s, false
		}
		content = b.Bytes()
	case filter != "":
		if parms != nil {
			return s, false
		}
		c := s
		if !decoded(&c, maxStream) {
			return s, false
		}
		content, parms = c.Content, nil
	}
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	w.Write(content)
	w.Close()
	if b.Len() >= len(s.Raw) {
		return s, false
	}
	dict := maps.Clone(s.Dict)
	dict["Filter"] = types.Name("FlateDecode")
	if parms == nil {
		delete(dict, "DecodeParms")
	}
	return types.StreamDict{Dict: dict, Raw: b.Bytes()}, true
}

func decoded(s *types.StreamDict, maxStream int64) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ok = false
		}
	}()
	s.Content = nil
	return s.DecodeWithLimit(maxStream) == nil && s.Content != nil
}

// bounded is a reader that ends after left bytes.
type bounded struct {
	r    interface{ Read([]byte) (int, error) }
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the stream is too long")
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// unite lets one of several equal objects stand for all. Pages and what has a place of
// its own (annotations, fields, items of an outline) stay themselves.
func (d *Document) unite(ctx context.Context) error {
	numbers := slices.Sorted(maps.Keys(d.objects))
	for range 8 { // equal objects make those equal that refer to them
		seen := map[[32]byte]int{}
		found := false
		for _, number := range numbers {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if _, gone := d.same[number]; gone || d.nodes[number] {
				continue
			}
			s := serial{str: plain, number: func(n int) int {
				if to, ok := d.same[n]; ok {
					return to
				}
				return n
			}}
			switch o := d.object(number).(type) {
			case types.StreamDict:
				length := o.Dict["Length"]
				delete(o.Dict, "Length")
				s.dict(o.Dict)
				if length != nil {
					o.Dict["Length"] = length
				}
				s.out = append(append(s.out, "stream"...), o.Raw...)
			case types.Dict:
				if single(o) {
					continue
				}
				s.dict(o)
			case types.Array:
				s.object(o)
			default:
				continue
			}
			sum := sha256.Sum256(s.out)
			if first, ok := seen[sum]; ok {
				d.same[number] = first
				found = true
				continue
			}
			seen[sum] = number
		}
		if !found {
			return nil
		}
		for from, to := range d.same { // no chains
			for next, ok := d.same[to]; ok; next, ok = d.same[to] {
				to = next
			}
			d.same[from] = to
		}
	}
	return nil
}

// single tells a dictionary that is not to be shared, since it is something of its own.
func single(o types.Dict) bool {
	for _, key := range []string{"Parent", "P", "Prev", "Next", "Kids", "T", "Rect"} {
		if o[key] != nil {
			return true
		}
	}
	switch o["Type"] {
	case types.Name("OCG"), types.Name("Annot"), types.Name("Sig"), types.Name("StructElem"):
		return true
	}
	return false
}
