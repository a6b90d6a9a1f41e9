package pdf

import "github.com/sandboxd/sandboxd/op"

var infoDoc = op.Doc{
	Summary: "Get a PDF's page count, page sizes, title, author and other metadata, and whether it has forms.",
	Details: "Sizes are in points, 72 to the inch, as a person sees the page: A4 is 595 × 842, US Letter 612 × 792.",
	Examples: []op.Example{
		{Title: "Page count and title", Code: `const { pageCount, title, hasForms } = await files.pdf.info("report.pdf");`},
		{Title: "An encrypted file", Code: `const { pages } = await files.pdf.info("statement.pdf", { password: "secret" });
return pages.map(p => p.width + " × " + p.height);`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var extractTextDoc = op.Doc{
	Summary: "Extract a PDF's text, of all pages or of some, plain or with the place of each line or word.",
	Details: "Places are points from the bottom-left corner of the page as a person sees it. Scanned pages have no text: render them with renderPage and look at the image. For tables see extractTables.",
	Examples: []op.Example{
		{Title: "All text", Code: `const { pages } = await files.pdf.extractText("report.pdf");
return pages.map(p => p.text).join("\n\n");`},
		{Title: "Some pages", Code: `const { pages } = await files.pdf.extractText("report.pdf", { pages: [1, 2, 3] });`},
		{Title: "Where the large print is", Code: `const { pages } = await files.pdf.extractText("report.pdf", { pages: [1], layout: "lines" });
return (pages[0].lines ?? []).filter(l => l.size > 14).map(l => l.text + " at " + l.x + ", " + l.y);`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var searchDoc = op.Doc{
	Summary: "Find text in a PDF: each match with its page, what stands around it, and its boxes.",
	Details: "Upper and lower case count alike unless matchCase is set. Boxes are in points from the bottom-left corner of the page as a person sees it.",
	Examples: []op.Example{
		{Title: "Where a word is", Code: `const { matches } = await files.pdf.search("contract.pdf", "termination");
return matches.map(m => "page " + m.page + ": " + m.context);`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var renderPageDoc = op.Doc{
	Summary: "Draw a page of a PDF as a PNG or JPEG image, as base64 or into a new file.",
	Details: "Annotations and filled form fields are drawn as well. Look at scanned pages, at charts and at your own work this way.",
	Examples: []op.Example{
		{Title: "For a vision model", Code: `const { base64, mimeType } = await files.pdf.renderPage("scan.pdf", 1, { maxWidth: 1200, format: "jpeg" });`},
		{Title: "Into a file, for print", Code: `const { id } = await files.pdf.renderPage("report.pdf", 2, { dpi: 300, name: "page-2.png" });`},
	},
	Cost: op.CostParse,
}

var extractTablesDoc = op.Doc{
	Summary: "Find the tables on a PDF's pages, as rows of cells.",
	Details: "A table within ruled lines is found by them. Otherwise three or more rows whose columns are aligned count as one (`ruled: false`): look whether they are what you want. Cells are text, several lines in one divided by \"\\n\".",
	Examples: []op.Example{
		{Title: "The first table of a page", Code: `const { tables } = await files.pdf.extractTables("invoice.pdf", { pages: [1] });
const [header, ...rows] = tables[0]!.rows;`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var extractImagesDoc = op.Doc{
	Summary: "Save the images of a PDF as new files, JPEG as they are and others as PNG.",
	Details: "An image that is placed several times, such as a logo, becomes one file. Drawings made of lines are no images: use renderPage for them. Files are named after the PDF, page and number: report-p1-2.png.",
	Examples: []op.Example{
		{Title: "The images of two pages", Code: `const { images } = await files.pdf.extractImages("report.pdf", { pages: [1, 2], folder: "figures" });
return images.map(i => i.name + ": " + i.pixelWidth + " × " + i.pixelHeight);`},
	},
	Cost: op.CostParse,
}

var outlineDoc = op.Doc{
	Summary: "Get a PDF's outline: its bookmarks with their levels and pages.",
	Examples: []op.Example{
		{Title: "A table of contents", Code: `const items = await files.pdf.outline("book.pdf");
return items.map(i => "  ".repeat(i.level - 1) + i.title + " … " + i.page).join("\n");`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var annotationsDoc = op.Doc{
	Summary: "List what was laid on a PDF's pages: notes, highlights, links, stamps.",
	Details: "Places are points from the bottom-left corner of the page as a person sees it.",
	Examples: []op.Example{
		{Title: "What reviewers wrote", Code: `const notes = await files.pdf.annotations("draft.pdf");
return notes.filter(n => n.contents).map(n => "page " + n.page + ", " + n.author + ": " + n.contents);`},
		{Title: "All links", Code: `const links = await files.pdf.annotations("paper.pdf");
return links.filter(l => l.url).map(l => l.url);`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}
