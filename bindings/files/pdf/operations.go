package pdf

import (
	"slices"

	"github.com/sandboxd/sandboxd/op"
)

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return slices.Concat(reading(), assembling())
}

// reading are the operations that PDFium does: those that look at a PDF, and forms.
func reading() op.Table {
	return op.Table{
		op.Define("files.pdf.info", "pdf_info", info, infoDoc),
		op.Define("files.pdf.extractText", "pdf_extract_text", extractText, extractTextDoc),
		op.Define("files.pdf.search", "pdf_search", search, searchDoc),
		op.Define("files.pdf.extractTables", "pdf_extract_tables", extractTables, extractTablesDoc),
		op.Define("files.pdf.extractImages", "pdf_extract_images", extractImages, extractImagesDoc),
		op.Define("files.pdf.outline", "pdf_outline", outline, outlineDoc),
		op.Define("files.pdf.annotations", "pdf_annotations", annotations, annotationsDoc),
		op.Define("files.pdf.renderPage", "pdf_render_page", renderPage, renderPageDoc),
		op.Define("files.pdf.getFormFields", "pdf_get_form_fields", getFormFields, getFormFieldsDoc),
		op.Define("files.pdf.fillForm", "pdf_fill_form", fillForm, fillFormDoc),
	}
}
