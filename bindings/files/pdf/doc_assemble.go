package pdf

import "github.com/sandboxd/sandboxd/op"

var addPageDoc = op.Doc{
	Summary: "Add a blank page to a PDF, at the end or at a place.",
	Examples: []op.Example{
		{Title: "At the end, as large as the last page", Code: `const { page } = await files.pdf.addPage("report.pdf");
await files.pdf.addText("report.pdf", page, "Appendix", { x: 72, y: 700 }, { size: 24 });`},
		{Title: "A cover", Code: `await files.pdf.addPage("report.pdf", { size: "A4", orientation: "landscape", at: 1 });`},
	},
	Cost: op.CostWrite,
}

var deletePageDoc = op.Doc{
	Summary: "Remove a page of a PDF.",
	Details: "Links to the page lead nowhere afterwards. The only page cannot be removed.",
	Examples: []op.Example{
		{Title: "Without its first page", Code: `const { pageCount } = await files.pdf.deletePage("report.pdf", 1);`},
	},
	Cost: op.CostWrite, Destructive: true,
}

var rotatePagesDoc = op.Doc{
	Summary: "Turn pages of a PDF clockwise by 90, 180 or 270 degrees.",
	Examples: []op.Example{
		{Title: "Scans that lie on their side", Code: `await files.pdf.rotatePages("scan.pdf", 90, { pages: [2, 3] });`},
	},
	Cost: op.CostWrite,
}

var reorderPagesDoc = op.Doc{
	Summary: "Put the pages of a PDF into another order.",
	Examples: []op.Example{
		{Title: "Backwards", Code: `const { pageCount } = await files.pdf.info("report.pdf");
await files.pdf.reorderPages("report.pdf", Array.from({ length: pageCount }, (_, i) => pageCount - i));`},
	},
	Cost: op.CostWrite,
}

var addTextDoc = op.Doc{
	Summary: "Write text onto a page of a PDF, at coordinates, with font, size and color.",
	Details: "The position is that of the first line's baseline, in points from the bottom-left corner of the page as a person sees it, whatever its rotation and crop box. " +
		"Text of any script is written in a font that has its characters, and only what is used of it is put into the file; right-to-left text is ordered as it is read. " +
		"A character that no font has is an error that names it, and so is a place wholly off the page; text that is partly off it is answered as `clipped`. For a whole document use create.",
	Examples: []op.Example{
		{Title: "A stamp", Code: `await files.pdf.addText("invoice.pdf", 1, "PAID", { x: 400, y: 750 }, { size: 28, bold: true, color: "#c00000", rotate: 15 });`},
		{Title: "A paragraph, broken into lines", Code: `const { endY } = await files.pdf.addText("letter.pdf", 1, "Dear Ms. Müller, thank you for your order.", { x: 72, y: 600 }, { font: "Times", maxWidth: 300 });`},
		{Title: "Page numbers", Code: `const { pages } = await files.pdf.info("report.pdf");
for (const { page, width } of pages)
  await files.pdf.addText("report.pdf", page, page + " / " + pages.length, { x: width / 2, y: 24 }, { size: 9, align: "center" });`},
	},
	Cost: op.CostWrite,
}

var addImageDoc = op.Doc{
	Summary: "Place an image of the workspace onto a page of a PDF.",
	Details: "The position is that of the image's lower left corner, in points from the bottom-left corner of the page as a person sees it. A JPEG goes in as it is, transparency is kept, and a photo is turned upright as the camera was held. A place wholly off the page is an error.",
	Examples: []op.Example{
		{Title: "A logo, two inches wide", Code: `await files.pdf.addImage("letter.pdf", 1, "logo.png", { x: 72, y: 720 }, { width: 144 });`},
	},
	Cost: op.CostWrite,
}

var watermarkDoc = op.Doc{
	Summary: "Put a text or an image across pages of a PDF.",
	Examples: []op.Example{
		{Title: "A draft", Code: `await files.pdf.watermark("contract.pdf", { text: "DRAFT" });`},
		{Title: "A logo in the corner", Code: `await files.pdf.watermark("report.pdf", { image: "logo.png", position: "top-right", scale: 0.15, opacity: 1 });`},
	},
	Cost: op.CostWrite,
}

var mergeDoc = op.Doc{
	Summary: "Merge several PDFs into one new file, with their forms, outlines, layers and attachments.",
	Details: "A form field whose name is taken by a file before gets a number; the answer lists those. A damaged file is repaired if it can be, and its part says so; one that cannot be ends the merge with an error that names it. " +
		"The result is not encrypted. Links within each file keep their places; what tags files had for screen readers is left out.",
	Examples: []op.Example{
		{Title: "Two into one", Code: `const { id, pageCount } = await files.pdf.merge(["cover.pdf", "report.pdf"], "complete.pdf");`},
		{Title: "What came from where", Code: `const { parts, renamedFields } = await files.pdf.merge(["a.pdf", "b.pdf", "c.pdf"], "book.pdf");
return parts.map(p => p.file + " begins on page " + p.firstPage);`},
	},
	Cost: op.CostWrite,
}

var splitPagesDoc = op.Doc{
	Summary: "Split a PDF into several new files by page ranges, or into its pages.",
	Details: "The original stays as it is. Form fields go with the pages that show them, and an encrypted file's parts are encrypted as it is.",
	Examples: []op.Example{
		{Title: "By ranges", Code: `const { files: parts } = await files.pdf.splitPages("report.pdf", ["1-3", "4-"]);
return parts.map(p => p.name + ": pages " + p.pages);`},
		{Title: "A file for each page", Code: `const { files: pages } = await files.pdf.splitPages("report.pdf");`},
		{Title: "With names", Code: `await files.pdf.splitPages("contract.pdf", ["1-9", "10-12"], { names: ["contract-body.pdf", "annex.pdf"] });`},
	},
	Cost: op.CostWrite,
}

var setMetadataDoc = op.Doc{
	Summary: "Set a PDF's title, author and other metadata.",
	Examples: []op.Example{
		{Title: "Title and author", Code: `await files.pdf.setMetadata("report.pdf", { title: "Annual report 2024", author: "Finance" });`},
	},
	Cost: op.CostWrite, Idempotent: true,
}

var encryptDoc = op.Doc{
	Summary: "Encrypt a PDF with a password, with AES of 256 bits.",
	Details: "A file that is encrypted already gets the new passwords instead; pass its own in password.",
	Examples: []op.Example{
		{Title: "Opens with a password only", Code: `await files.pdf.encrypt("salary.pdf", { userPassword: "correct horse" });`},
		{Title: "Anybody reads, nobody changes", Code: `await files.pdf.encrypt("terms.pdf", { ownerPassword: "battery staple", allow: ["print"] });`},
	},
	Cost: op.CostWrite,
}

var decryptDoc = op.Doc{
	Summary: "Take the encryption off a PDF.",
	Examples: []op.Example{
		{Title: "With its password", Code: `await files.pdf.decrypt("statement.pdf", { password: "secret" });`},
	},
	Cost: op.CostWrite,
}

var optimizeDoc = op.Doc{
	Summary: "Make a PDF smaller without changing what it shows.",
	Details: "Streams are packed better, what is there twice becomes one, and thumbnails and the private data of programs go. Images keep their quality.",
	Examples: []op.Example{
		{Title: "Before sending it", Code: `const { sizeBefore, sizeAfter } = await files.pdf.optimize("report.pdf");`},
	},
	Cost: op.CostWrite, Idempotent: true,
}
