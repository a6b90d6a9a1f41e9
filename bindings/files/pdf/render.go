package pdf

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/jpeg"
	"math"
	"path"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type renderPageIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Page    int    `json:"page" min:"1" doc:"Counted from 1"`
	Options struct {
		DPI      float64 `json:"dpi,omitempty" js:"dpi" min:"1" max:"1200" doc:"Pixels to the inch. Defaults to 108, or to what max_width makes of it."`
		MaxWidth int     `json:"max_width,omitempty" min:"1" max:"20000" doc:"Pixels that the image is wide; at most, if dpi is given too"`
		Format   string  `json:"format,omitempty" enum:"png,jpeg,jpg" doc:"Defaults to what name ends in, or png"`
		Quality  int     `json:"quality,omitempty" min:"1" max:"100" doc:"Of a JPEG. Defaults to 85."`
		Name     string  `json:"name,omitempty" doc:"Name of a new file for the image; without it the image is answered as base64"`
		secret
	} `json:"options,omitempty" op:"options"`
}

type renderPageOut struct {
	Base64   string `json:"base64,omitempty" doc:"The image, unless it became a file"`
	ID       string `json:"id,omitempty" doc:"The new file's id"`
	Name     string `json:"name,omitempty" doc:"The new file's name"`
	MimeType string `json:"mime_type" doc:"image/png or image/jpeg"`
	Width    int    `json:"width" doc:"In pixels"`
	Height   int    `json:"height" doc:"In pixels"`
	Size     int    `json:"size" doc:"In bytes"`
	repair
}

// defaultDPI makes A4 893 × 1263 pixels: small print can be read, by models too.
const defaultDPI = 108

func renderPage(ctx context.Context, env *op.Env, in renderPageIn) (out renderPageOut, err error) {
	format, err := formatOf(in.Options.Format, in.Options.Name)
	if err != nil {
		return out, err
	}
	var encoded []byte
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		i, err := v.index(in.Page)
		if err != nil {
			return err
		}
		width, height, err := v.doc.PageSize(i)
		if err != nil {
			return err
		}
		out.Repaired = v.repaired
		out.Width, out.Height, err = pixels(width, height, in.Options.DPI, in.Options.MaxWidth, env.Limits.Pixels)
		if err != nil {
			return err
		}
		return v.doc.Render(i, out.Width, out.Height, func(img *image.RGBA) error {
			encoded, err = encode(img, format, in.Options.Quality)
			return err
		})
	})
	if err != nil {
		return out, err
	}
	out.MimeType, out.Size = "image/"+format, len(encoded)
	if in.Options.Name == "" {
		out.Base64 = base64.StdEncoding.EncodeToString(encoded)
		return out, nil
	}
	file, err := create(ctx, env, in.Options.Name, out.MimeType, encoded, false)
	out.ID, out.Name = file.ID, file.Name
	return out, err
}

// formatOf is what the format is by the options: png or jpeg.
func formatOf(format, name string) (string, error) {
	if format == "jpg" {
		format = "jpeg"
	}
	byName := ""
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		byName = "png"
	case ".jpg", ".jpeg":
		byName = "jpeg"
	default:
		if name != "" {
			return "", problem.New(problem.InvalidArgument, "name: expected a name that ends in .png or .jpg, got %q", name).With("argument", "name")
		}
	}
	switch {
	case format == "" && byName == "":
		return "png", nil
	case format == "":
		return byName, nil
	case byName != "" && byName != format:
		return "", problem.New(problem.InvalidArgument, "name: expected a name that ends like the format %s, got %q", format, name).With("argument", "name")
	}
	return format, nil
}

// pixels gives the size of the image of a page of a size in points.
func pixels(width, height, dpi float64, maxWidth int, limit int64) (w, h int, err error) {
	if dpi == 0 && maxWidth == 0 {
		dpi = defaultDPI
	}
	scale := dpi / 72
	if maxWidth > 0 && (dpi == 0 || width*scale > float64(maxWidth)) {
		scale = float64(maxWidth) / width
	}
	fw, fh := math.Max(1, math.Round(width*scale)), math.Max(1, math.Round(height*scale))
	if limit = min(limit, pdfium.MaxPixels); !(fw*fh <= float64(limit)) {
		return 0, 0, problem.New(problem.TooComplex, "the image would have %.0f × %.0f pixels; %d are the most", fw, fh, limit).
			WithHint("Ask for a lower dpi or for less width.").With("limit", limit)
	}
	return int(fw), int(fh), nil
}

// encode makes an image file.
func encode(img image.Image, format string, quality int) ([]byte, error) {
	var b bytes.Buffer
	if format == "png" {
		err := encodePNG(&b, img)
		return b.Bytes(), err
	}
	if quality == 0 {
		quality = 85
	}
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}
