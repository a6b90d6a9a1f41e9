package pdf

import "github.com/sandboxd/sandboxd/op"

var createPDFDoc = op.Doc{
	Summary: "Make a new PDF from Markdown, or page by page from Markdown, plain text and images.",
	Details: "Markdown is that of code hosts: headings, lists, task lists, tables, code, quotes, links, strikethrough, and images by the names of files in the workspace. " +
		"`<!-- pagebreak -->` begins a page. Headings become the outline, and `[see](#a-heading)` leads to one. Text may be of any script; right-to-left paragraphs are set from the right. " +
		"HTML is not shown.",
	Examples: []op.Example{
		{Title: "A report", Code: "await files.pdf.create(\"report.pdf\", { markdown: `# Sales in May\n\nUp **12 %** on April.\n\n| Region | Sales |\n|---|---:|\n| North | 1,200 |\n| South | 980 |\n\n![Chart](chart.png)` });"},
		{Title: "Page by page", Code: `await files.pdf.create("album.pdf", { size: "Letter", pageNumbers: false, pages: [
  { markdown: "# Summer\n\nThree pictures" }, { image: "beach.jpg" }, { image: "dunes.jpg", orientation: "landscape" },
] });`},
	},
	Cost: op.CostWrite,
}
