package image

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/bep/imagemeta"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type metadataOut struct {
	Format      string         `json:"format"`
	Orientation int            `json:"orientation,omitempty" doc:"EXIF, 1 to 8; 1 is upright"`
	TakenOn     string         `json:"taken_on,omitempty" doc:"As the camera's clock had it, without a zone: 2024-05-31T09:30:00"`
	Camera      string         `json:"camera,omitempty" doc:"Make and model"`
	GPS         *gpsOut        `json:"gps,omitempty" doc:"Where it was taken"`
	EXIF        map[string]any `json:"exif,omitempty" doc:"Tags by their names in the standard"`
	IPTC        map[string]any `json:"iptc,omitempty"`
	XMP         map[string]any `json:"xmp,omitempty"`
	ICC         *iccOut        `json:"icc,omitempty" doc:"The colour profile"`
}

type gpsOut struct {
	Latitude  float64  `json:"latitude" doc:"Degrees, north is positive"`
	Longitude float64  `json:"longitude" doc:"Degrees, east is positive"`
	Altitude  *float64 `json:"altitude,omitempty" doc:"Metres above the sea"`
}

type iccOut struct {
	Description string `json:"description"`
	Space       string `json:"space" doc:"RGB, CMYK, GRAY …"`
	Size        int    `json:"size" doc:"In bytes"`
}

// maxTags is how many tags are answered.
const maxTags = 500

func metadata(ctx context.Context, env *op.Env, in infoIn) (out metadataOut, err error) {
	o, err := look(ctx, env, in.FileID)
	if err != nil {
		return out, err
	}
	h := o.header
	out = metadataOut{Format: string(h.Format), Orientation: h.Orientation, EXIF: map[string]any{}, IPTC: map[string]any{}, XMP: map[string]any{}}
	tags, err := readTags(o)
	if err != nil {
		return out, problem.New(problem.DamagedFile, "the metadata of %q is damaged", o.file.Name).WithCause(err)
	}
	for from, into := range map[*map[string]imagemeta.TagInfo]map[string]any{ptr(tags.EXIF()): out.EXIF, ptr(tags.IPTC()): out.IPTC, ptr(tags.XMP()): out.XMP} {
		for name, tag := range *from {
			if value, ok := plain(tag.Value); ok && !strings.HasPrefix(name, imagemeta.UnknownPrefix) {
				into[name] = value
			}
		}
	}
	out.place(tags)
	if text, ok := out.EXIF["DateTimeOriginal"].(string); ok && len(text) >= 19 {
		out.TakenOn = strings.ReplaceAll(text[:10], ":", "-") + "T" + text[11:19]
	}
	maker, _ := out.EXIF["Make"].(string)
	model, _ := out.EXIF["Model"].(string)
	if out.Camera = model; !strings.HasPrefix(model, maker) {
		out.Camera = strings.TrimSpace(maker + " " + model)
	}
	out.ICC = profile(h.ICC)
	return out, nil
}

func ptr[T any](v T) *T { return &v }

// readTags reads EXIF, IPTC and XMP.
func readTags(o *opened) (tags imagemeta.Tags, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	format, ok := map[picture.Format]imagemeta.ImageFormat{picture.JPEG: imagemeta.JPEG, picture.PNG: imagemeta.PNG, picture.WebP: imagemeta.WebP,
		picture.TIFF: imagemeta.TIFF, picture.AVIF: imagemeta.AVIF, picture.HEIC: imagemeta.HEIF}[o.header.Format]
	if !ok {
		return tags, nil
	}
	_, err = imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(o.data), ImageFormat: format, LimitNumTags: maxTags, LimitTagSize: 4096,
		ShouldHandleTag: func(t imagemeta.TagInfo) bool { // but the tags of previews
			return t.Source != imagemeta.EXIF || strings.HasPrefix(t.Namespace, "IFD0")
		},
		HandleTag: func(t imagemeta.TagInfo) error { tags.Add(t); return nil },
	})
	if imagemeta.IsInvalidFormat(err) && len(tags.All()) > 0 {
		err = nil // what there is
	}
	return tags, err
}

func (out *metadataOut) place(tags imagemeta.Tags) {
	lat, long, err := tags.GetLatLong()
	if err != nil || lat == 0 && long == 0 || math.IsNaN(lat+long) || math.IsInf(lat+long, 0) || math.Abs(lat) > 90 || math.Abs(long) > 180 {
		return
	}
	out.GPS = &gpsOut{Latitude: lat, Longitude: long}
	if altitude, ok := out.EXIF["GPSAltitude"].(float64); ok {
		if below, ok := tags.EXIF()["GPSAltitudeRef"].Value.(uint8); ok && below == 1 {
			altitude = -altitude
		}
		out.GPS.Altitude = &altitude
	}
}

// plain makes a plain value of a tag's; binary ones are left out.
func plain(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return strings.TrimRight(v, "\x00 "), utf8.ValidString(v)
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list, true
	case []byte:
		return nil, false
	case fmt.Stringer: // rationals
		if f, ok := value.(interface{ Float64() float64 }); ok {
			return finite(f.Float64())
		}
		return v.String(), utf8.ValidString(v.String())
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(v.Uint()), true
	case reflect.Float32, reflect.Float64:
		return finite(v.Float())
	case reflect.Slice:
		if v.Len() > 64 {
			return nil, false
		}
		list := make([]any, v.Len())
		for i := range list {
			item, ok := plain(v.Index(i).Interface())
			if !ok {
				return nil, false
			}
			list[i] = item
		}
		return list, true
	}
	return nil, false
}

func finite(f float64) (any, bool) { return f, !math.IsNaN(f) && !math.IsInf(f, 0) }

// profile says what an ICC profile calls itself (ICC.1:2010, 7.2 and 9.2.41).
func profile(icc []byte) *iccOut {
	if len(icc) < 132 {
		return nil
	}
	out := &iccOut{Space: strings.TrimSpace(printable(icc[16:20])), Size: len(icc)}
	for i := range min(int(binary.BigEndian.Uint32(icc[128:])), 100) {
		at := 132 + 12*i
		if at+12 > len(icc) {
			break
		}
		from, size := uint64(binary.BigEndian.Uint32(icc[at+4:])), uint64(binary.BigEndian.Uint32(icc[at+8:]))
		if string(icc[at:at+4]) == "desc" && from+size <= uint64(len(icc)) {
			out.Description = description(icc[from : from+size])
		}
	}
	return out
}

func description(tag []byte) string {
	switch {
	case len(tag) > 12 && string(tag[:4]) == "desc":
		n := uint64(binary.BigEndian.Uint32(tag[8:]))
		return printable(tag[12:min(12+n, uint64(len(tag)))])
	case len(tag) >= 28 && string(tag[:4]) == "mluc":
		n, from := uint64(binary.BigEndian.Uint32(tag[20:])), uint64(binary.BigEndian.Uint32(tag[24:]))
		if from+n <= uint64(len(tag)) {
			var ascii []byte
			for i := from; i+1 < from+n; i += 2 {
				if tag[i] == 0 {
					ascii = append(ascii, tag[i+1])
				}
			}
			return printable(ascii)
		}
	}
	return ""
}

func printable(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		if c >= ' ' && c < 127 {
			s.WriteByte(c)
		}
	}
	return s.String()
}

type stripIn struct {
	FileID  string    `json:"file_id" doc:"File id or name"`
	Options asOptions `op:"options"`
}

// stripMetadata cuts metadata out of the file, and encodes the picture anew only where the
// format cannot be cut.
func stripMetadata(ctx context.Context, env *op.Env, in stripIn) (out fileOut, err error) {
	if as, ok := formatOfName(in.Options.As); in.Options.As != "" && !ok {
		return out, problem.New(problem.InvalidArgument, "as: %q does not end as a picture's name does", in.Options.As).With("argument", "as")
	} else if src, err := look(ctx, env, in.FileID); err != nil {
		return out, err
	} else if ok && as != src.header.Format {
		return out, problem.New(problem.InvalidArgument, "as: %q does not end as the name of a %s does", in.Options.As, src.header.Format).With("argument", "as")
	}
	p := plan{ref: in.FileID, save: saveOptions{asOptions: in.Options}}
	if p.save.As == "" {
		file, err := env.Direct.Stat(ctx, in.FileID)
		if err != nil {
			return out, err
		}
		unlock, err := env.Lock(ctx, file.ID)
		if err != nil {
			return out, err
		}
		defer unlock()
	}
	src, err := look(ctx, env, in.FileID)
	if err != nil {
		return out, err
	}
	h := src.header
	width, height, data := h.Width, h.Height, []byte(nil)
	stripped, ok := picture.Strip(src.data, h)
	if ok {
		data = stripped
	} else {
		eng := engineOf(env)
		if src, err = open(ctx, env, eng, in.FileID); err != nil {
			return out, err
		}
		p.format = h.Format
		job, enc, _, err := p.job(env, src)
		if err != nil {
			return out, err
		}
		made, err := encode(ctx, eng, job, enc)
		if err != nil {
			return out, named(err, src.file.Name)
		}
		defer made.Release()
		width, height, data = made.Width, made.Height, made.Data
	}
	file, err := save(ctx, env, src.file, p, h.Format, data)
	return fileOut{file.ID, file.Name, width, height, string(h.Format), file.Size}, err
}
