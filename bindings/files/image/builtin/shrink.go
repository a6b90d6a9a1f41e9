package builtin

import (
	"image"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

func firstScale(steps []picture.Step) (picture.Scale, bool) {
	if len(steps) == 0 {
		return picture.Scale{}, false
	}
	first, ok := steps[0].(picture.Scale)
	return first, ok && first.Kernel != picture.Nearest && first.Width > 0 && first.Height > 0
}

// shrinkFor is the power of two by which a JPEG's planes are averaged before it is scaled: at
// least twice the size is left to be resampled, because averages alone are soft.
func shrinkFor(h picture.Header, to picture.Scale) int {
	scale := min(float64(h.Width)/float64(to.Width), float64(h.Height)/float64(to.Height))
	n := 1
	for n < 8 && float64(4*n) <= scale {
		n *= 2
	}
	return n
}

// shrink averages squares of n × n samples in the planes of a decoded JPEG, so that only the
// small picture ever has its colours converted.
func shrink(m image.Image, n int) *image.NRGBA {
	b := m.Bounds()
	w, h := (b.Dx()+n-1)/n, (b.Dy()+n-1)/n
	switch m := m.(type) {
	case *image.YCbCr:
		fx, fy := subsampling(m.SubsampleRatio)
		cw, ch := (b.Dx()+fx-1)/fx, (b.Dy()+fy-1)/fy
		luma := average(m.Y, m.YStride, b.Dx(), b.Dy(), n, n)
		// Where chroma is as coarse as the outcome or coarser it stays as it is.
		nx, ny := max(n/fx, 1), max(n/fy, 1)
		small := &image.YCbCr{Y: luma, YStride: w, Rect: image.Rect(0, 0, w, h),
			Cb: average(m.Cb, m.CStride, cw, ch, nx, ny), Cr: average(m.Cr, m.CStride, cw, ch, nx, ny),
			CStride: (cw + nx - 1) / nx, SubsampleRatio: coarser(max(fx/n, 1), max(fy/n, 1))}
		out, _ := ToNRGBA(small)
		return out
	case *image.Gray:
		out, _ := ToNRGBA(&image.Gray{Pix: average(m.Pix, m.Stride, b.Dx(), b.Dy(), n, n), Stride: w, Rect: image.Rect(0, 0, w, h)})
		return out
	}
	out, err := ToNRGBA(m)
	if err != nil {
		return image.NewNRGBA(image.Rect(0, 0, w, h))
	}
	return out
}

// average shrinks a plane by nx and ny.
func average(pix []byte, stride, w, h, nx, ny int) []byte {
	ow, oh := (w+nx-1)/nx, (h+ny-1)/ny
	out := make([]byte, ow*oh)
	sums := make([]uint32, ow)
	for oy := range oh {
		clear(sums)
		rows := min(ny, h-oy*ny)
		for y := range rows {
			row := pix[(oy*ny+y)*stride:][:w]
			addRow(sums, row, nx)
		}
		dst := out[oy*ow:][:ow]
		for ox := range dst {
			area := uint32(rows * min(nx, w-ox*nx))
			dst[ox] = byte((sums[ox] + area/2) / area)
		}
	}
	return out
}

func addRow(sums []uint32, row []byte, n int) {
	ox := 0
	switch n {
	case 1:
		for i, v := range row {
			sums[i] += uint32(v)
		}
		return
	case 2:
		for ; len(row) >= 2; row = row[2:] {
			sums[ox] += uint32(row[0]) + uint32(row[1])
			ox++
		}
	case 4:
		for ; len(row) >= 4; row = row[4:] {
			sums[ox] += uint32(row[0]) + uint32(row[1]) + uint32(row[2]) + uint32(row[3])
			ox++
		}
	case 8:
		for ; len(row) >= 8; row = row[8:] {
			sums[ox] += uint32(row[0]) + uint32(row[1]) + uint32(row[2]) + uint32(row[3]) +
				uint32(row[4]) + uint32(row[5]) + uint32(row[6]) + uint32(row[7])
			ox++
		}
	}
	for _, v := range row {
		sums[ox] += uint32(v)
	}
}

// subsampling is how many luma samples share a chroma sample, across and down.
func subsampling(r image.YCbCrSubsampleRatio) (x, y int) {
	switch r {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

func coarser(x, y int) image.YCbCrSubsampleRatio {
	switch {
	case x == 2 && y == 1:
		return image.YCbCrSubsampleRatio422
	case x == 2 && y == 2:
		return image.YCbCrSubsampleRatio420
	case x == 1 && y == 2:
		return image.YCbCrSubsampleRatio440
	case x == 4 && y == 1:
		return image.YCbCrSubsampleRatio411
	case x == 4 && y == 2:
		return image.YCbCrSubsampleRatio410
	}
	return image.YCbCrSubsampleRatio444
}
