package image

import "github.com/sandboxd/sandboxd/op"

const limitRules = "A picture beyond the limit of pixels (all frames of an animation together) is `too_complex`, one that does not decode `damaged_file`."

var infoDoc = op.Doc{
	Summary: "Width, height, format, colour depth, frames and more of a picture.",
	Details: "Only the header is read, so that it answers for any size. `engine` tells what works on pictures here.",
	Examples: []op.Example{
		{Title: "Is it large?", Code: `const { width, height, format } = await files.image.info("photo.jpg");`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var metadataDoc = op.Doc{
	Summary: "EXIF, GPS, IPTC, XMP and colour profile of a picture.",
	Examples: []op.Example{
		{Title: "Where and when was it taken?", Code: `const { gps, takenOn, camera } = await files.image.metadata("photo.jpg");
return [gps?.latitude, gps?.longitude, takenOn, camera];`},
	},
	Cost:     op.CostRead,
	ReadOnly: true, Idempotent: true,
}

var colorsDoc = op.Doc{
	Summary: "The dominant colours of a picture, with how much of it each has.",
	Details: "Transparent pixels do not count. " + limitRules,
	Examples: []op.Example{
		{Title: "The main colour", Code: `const [{ color, ratio }] = await files.image.colors("logo.png", 3);`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}

var compareDoc = op.Doc{
	Summary: "Compare two pictures: how much they differ, where, and a picture of the differences.",
	Details: "Both are compared upright. " + limitRules,
	Examples: []op.Example{
		{Title: "Did the page change?", Code: `const { differentPixels, region } = await files.image.compare("before.png", "after.png", { as: "changes.png" });`},
	},
	Cost: op.CostParse,
}

var toBase64Doc = op.Doc{
	Summary: "A picture in base64, for embedding or for a vision model.",
	Details: "It is upright and without metadata, and made smaller where maxWidth and maxHeight ask for it; without them it keeps its size, which may be too large an answer. " +
		"`\"data:\" + mime_type + \";base64,\" + base64` is a data URL. " + limitRules,
	Examples: []op.Example{
		{Title: "For a model", Code: `const { base64, mime_type } = await files.image.toBase64("photo.jpg", { maxWidth: 512, maxHeight: 512 });`},
	},
	Cost:     op.CostParse,
	ReadOnly: true, Idempotent: true,
}
