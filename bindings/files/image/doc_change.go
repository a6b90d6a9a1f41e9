package image

import "github.com/sandboxd/sandboxd/op"

const changeRules = "Without `as` the file itself gets a new version; with it, a new file is made, and a taken name is `exists`. " +
	"Metadata is kept where the format can; colours become sRGB. " + limitRules

func changeDoc(summary, details, title, code string) op.Doc {
	if details != "" {
		details += " "
	}
	return op.Doc{Summary: summary, Details: details + changeRules, Examples: []op.Example{{Title: title, Code: code}}, Cost: op.CostParse}
}

var (
	resizeDoc = changeDoc("Resize or scale a picture.",
		"Animated GIF and WebP stay animated. The EXIF orientation stays as it is, unless autoOrient applies it.",
		"At most 800 pixels wide", `await files.image.resize("photo.jpg", 800, null, { as: "small.jpg", withoutEnlargement: true });`)

	cropDoc = changeDoc("Crop a picture to a region.",
		"A region that does not lie within the picture is `invalid_argument`, with its size in details.",
		"The upper left corner", `await files.image.crop("scan.png", { left: 0, top: 0, width: 300, height: 200 }, { as: "corner.png" });`)

	trimDoc = changeDoc("Cut off borders of one colour.", "",
		"A scan's white border", `const { width, height } = await files.image.trim("scan.png", { threshold: 20 });`)

	padDoc = changeDoc("Add a border.", "",
		"20 white pixels around", `await files.image.pad("logo.png", { all: 20 }, { background: "white" });`)

	convertDoc = changeDoc("Convert a picture to another format: PNG, JPEG, WebP, GIF, TIFF, AVIF or BMP.",
		"In place the file's name gets the format's ending, and `renamedFrom` says what it was called before. What is transparent is laid over `background` (white) in formats that are opaque. "+
			"Lossy WebP, AVIF and progressive files need libvips, and are `engine_missing` without it.",
		"PNG to JPEG", `const { name, size } = await files.image.convert("photo.png", "jpeg", { quality: 85, as: "photo.jpg" });`)

	rotateDoc = changeDoc("Rotate a picture clockwise.", "", "A quarter", `await files.image.rotate("scan.png", 90);`)

	flipDoc = changeDoc("Mirror a picture.", "", "Left and right", `await files.image.flip("photo.jpg", "horizontal");`)

	autoOrientDoc = changeDoc("Turn a picture upright, as its EXIF orientation says.", "Cameras store pictures as they were held.",
		"Before measuring", `const { width, height } = await files.image.autoOrient("photo.jpg");`)

	blurDoc = changeDoc("Blur a picture.", "", "Strongly", `await files.image.blur("photo.jpg", 8, { as: "blurred.jpg" });`)

	sharpenDoc = changeDoc("Sharpen a picture.", "", "Fine details", `await files.image.sharpen("scan.png", { sigma: 1, amount: 0.8 });`)

	grayscaleDoc = changeDoc("Make a picture grey.", "", "Into a new file", `await files.image.grayscale("photo.jpg", { as: "grey.jpg" });`)

	adjustDoc = changeDoc("Change brightness, contrast and saturation.", "",
		"A dull photo", `await files.image.adjust("photo.jpg", { brightness: 1.1, contrast: 1.15, saturation: 1.2 });`)

	compositeDoc = changeDoc("Layer images on top of each other.", "Each overlay has a place, a scale, an opacity and a blend mode.",
		"A watermark", `await files.image.composite("photo.jpg", [{ fileId: "logo.png", position: "bottom-right", scale: 0.5, opacity: 0.6 }]);`)

	drawTextDoc = changeDoc("Write text on a picture.", "All texts of one call cost one encoding. Latin, Greek and Cyrillic can always be written, others with the fonts that are installed, except for scripts that are written from the right or whose letters join; a character that no font has is an error that names it, and so is text wholly off the picture.",
		"A caption", `await files.image.drawText("photo.jpg", [{ text: "Draft", left: 20, top: 20, size: 40, color: "white", background: "#00000080" }]);`)

	drawRectDoc = changeDoc("Draw boxes on a picture, with labels: to show what was found where.", "All boxes of one call cost one encoding.",
		"Findings of a model", `await files.image.drawRect("photo.jpg", [{ left: 40, top: 60, width: 200, height: 120, label: "cat 0.93" }], { as: "found.jpg" });`)
)

var thumbnailDoc = op.Doc{
	Summary: "Make a thumbnail: a small file of a size, cut to what matters.",
	Details: "It is always a new file, `NAME thumbnail.ext` if `as` names none, upright and without metadata. " + limitRules,
	Examples: []op.Example{
		{Title: "A square", Code: `const { id, name } = await files.image.thumbnail("photo.jpg", 200);`},
	},
	Cost: op.CostParse,
}

var extractFrameDoc = op.Doc{
	Summary: "Take one frame of an animation, or one page of a TIFF, as a picture.",
	Details: "It is a new PNG if `as` names no other. " + limitRules,
	Examples: []op.Example{
		{Title: "The last frame", Code: `const { frames } = await files.image.info("cat.gif");
await files.image.extractFrame("cat.gif", frames, { as: "last.png" });`},
	},
	Cost: op.CostParse,
}

var stripMetadataDoc = op.Doc{
	Summary: "Remove EXIF, GPS, XMP, IPTC and comments from a picture.",
	Details: "JPEG, PNG, WebP and GIF lose nothing else: pixels are not touched. The colour profile stays, and so does the orientation.",
	Examples: []op.Example{
		{Title: "Before publishing", Code: `await files.image.stripMetadata("photo.jpg");`},
	},
	Cost: op.CostRead, Idempotent: true,
}

var montageDoc = op.Doc{
	Summary: "Lay several pictures side by side in one: a contact sheet.",
	Details: "It is a new file, `montage.png` if `as` names none. " + limitRules,
	Examples: []op.Example{
		{Title: "Photos with their names", Code: `await files.image.montage(["front.jpg", "back.jpg", "side.jpg"], { columns: 3, labels: true, as: "sheet.jpg" });`},
	},
	Cost: op.CostParse,
}
