package pdf

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type extractImagesIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Pages   pageList `json:"pages,omitempty" min:"1" doc:"Pages to look at, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		MinSize int      `json:"min_size,omitempty" min:"1" max:"100000" doc:"Leave out images of fewer pixels in width or height. Defaults to 16."`
		Folder  string   `json:"folder,omitempty" doc:"Folder for the new files. Defaults to the PDF's."`
		Limit   int      `json:"limit,omitempty" min:"1" max:"1000" doc:"How many files to make at most. Defaults to 100."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type placedImage struct {
	ID       string `json:"id" doc:"The new file's id; an image that is placed several times is one file"`
	Name     string `json:"name" doc:"The new file's name"`
	MimeType string `json:"mime_type" doc:"image/jpeg for what is one in the PDF, otherwise image/png"`
	Page     int    `json:"page" doc:"Counted from 1"`
	PixelsX  int    `json:"pixel_width"`
	PixelsY  int    `json:"pixel_height"`
	Box      box    `json:"box" doc:"Its place on the page"`
}

type extractImagesOut struct {
	Images    []placedImage `json:"images" doc:"In the order of the pages"`
	Skipped   int           `json:"skipped,omitempty" doc:"Images that are too large or cannot be decoded"`
	Truncated bool          `json:"truncated" doc:"Whether there are more than the limit"`
	repair
}

// errEnough ends a walk through images.
var errEnough = fmt.Errorf("enough images")

func extractImages(ctx context.Context, env *op.Env, in extractImagesIn) (out extractImagesOut, err error) {
	limit, least := in.Options.Limit, in.Options.MinSize
	if limit == 0 {
		limit = 100
	}
	if least == 0 {
		least = 16
	}
	files := map[[sha256.Size]byte]placedImage{}
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		base := strings.TrimSuffix(v.file.Name, path.Ext(v.file.Name))
		if in.Options.Folder != "" {
			base = path.Join(in.Options.Folder, path.Base(base))
		}
		err := v.eachPage(ctx, in.Options.Pages, func(i int) error {
			n := 0
			skipped, err := v.doc.Images(i, least, min(env.Limits.Pixels, pdfium.MaxPixels), func(img pdfium.Image) error {
				n++
				placed, ok := files[img.Sum]
				if !ok {
					if len(files) == limit {
						out.Truncated = true
						return errEnough
					}
					var err error
					if placed, err = saveImage(ctx, env, fmt.Sprintf("%s-p%d-%d", base, i+1, n), img); err != nil {
						return err
					}
					files[img.Sum] = placed
				}
				placed.Page, placed.Box = i+1, boxOf(img.Box)
				out.Images = append(out.Images, placed)
				if len(out.Images) > 20*limit {
					out.Truncated = true
					return errEnough
				}
				return ctx.Err()
			})
			out.Skipped += skipped
			return err
		})
		if err == errEnough {
			return nil
		}
		return err
	})
	return out, err
}

// saveImage makes a file of an image.
func saveImage(ctx context.Context, env *op.Env, name string, img pdfium.Image) (placed placedImage, err error) {
	placed = placedImage{MimeType: "image/jpeg", PixelsX: img.Width, PixelsY: img.Height}
	data, ending := img.JPEG, ".jpg"
	if data == nil {
		placed.MimeType, ending = "image/png", ".png"
		if data, err = encode(img.Pixels, "png", 0); err != nil {
			return placed, problem.New(problem.Internal, "an image cannot be written").WithCause(err)
		}
	}
	file, err := create(ctx, env, name+ending, placed.MimeType, data, true)
	placed.ID, placed.Name = file.ID, file.Name
	return placed, err
}
