// Package image holds the operations of files.image.*.
//
// Two engines stand behind one interface (picture/): libvips (vips/), where it is installed,
// and the built-in one (builtin/), which is always there. An operation reads the file's header
// first and holds it against the limits, says as a picture.Job what to do, and has the engine
// do it; what is drawn, measured or chosen is done here, on pixels, so that it is the same with
// both.
//
// A change makes a new version of the file, or a new file by the option "as". Metadata is
// carried over; colours become sRGB with 8 bits a channel.
//
// Imports op, engine, host, problem, limits, pdf/fonts, x/image, and the packages below. Start reading at
// Operations, then at open in open.go and change in save.go.
package image

import "github.com/sandboxd/sandboxd/op"

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return op.Table{
		// To look at.
		op.Define("files.image.info", "image_info", info, infoDoc),
		op.Define("files.image.metadata", "image_metadata", metadata, metadataDoc),
		op.Define("files.image.colors", "image_colors", colors, colorsDoc),
		op.Define("files.image.compare", "image_compare", compare, compareDoc),
		op.Define("files.image.toBase64", "image_to_base64", toBase64, toBase64Doc),

		// Size and format.
		op.Define("files.image.resize", "image_resize", resize, resizeDoc),
		op.Define("files.image.thumbnail", "image_thumbnail", thumbnail, thumbnailDoc),
		op.Define("files.image.crop", "image_crop", crop, cropDoc),
		op.Define("files.image.trim", "image_trim", trim, trimDoc),
		op.Define("files.image.pad", "image_pad", pad, padDoc),
		op.Define("files.image.convert", "image_convert", convert, convertDoc),
		op.Define("files.image.extractFrame", "image_extract_frame", extractFrame, extractFrameDoc),
		op.Define("files.image.stripMetadata", "image_strip_metadata", stripMetadata, stripMetadataDoc),

		// Orientation.
		op.Define("files.image.rotate", "image_rotate", rotate, rotateDoc),
		op.Define("files.image.flip", "image_flip", flip, flipDoc),
		op.Define("files.image.autoOrient", "image_auto_orient", autoOrient, autoOrientDoc),

		// Look.
		op.Define("files.image.blur", "image_blur", blur, blurDoc),
		op.Define("files.image.sharpen", "image_sharpen", sharpen, sharpenDoc),
		op.Define("files.image.grayscale", "image_grayscale", grayscale, grayscaleDoc),
		op.Define("files.image.adjust", "image_adjust", adjust, adjustDoc),

		// Several pictures, and drawing.
		op.Define("files.image.composite", "image_composite", composite, compositeDoc),
		op.Define("files.image.montage", "image_montage", montage, montageDoc),
		op.Define("files.image.drawText", "image_draw_text", drawText, drawTextDoc),
		op.Define("files.image.drawRect", "image_draw_rect", drawRect, drawRectDoc),
	}
}
