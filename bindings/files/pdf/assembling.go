package pdf

import "github.com/sandboxd/sandboxd/op"

// assembling are the operations that change pages or make files of them.
func assembling() op.Table {
	return op.Table{
		op.Define("files.pdf.create", "pdf_create", createPDF, createPDFDoc),
		op.Define("files.pdf.addPage", "pdf_add_page", addPage, addPageDoc),
		op.Define("files.pdf.deletePage", "pdf_delete_page", deletePage, deletePageDoc),
		op.Define("files.pdf.rotatePages", "pdf_rotate_pages", rotatePages, rotatePagesDoc),
		op.Define("files.pdf.reorderPages", "pdf_reorder_pages", reorderPages, reorderPagesDoc),
		op.Define("files.pdf.addText", "pdf_add_text", addText, addTextDoc),
		op.Define("files.pdf.addImage", "pdf_add_image", addImage, addImageDoc),
		op.Define("files.pdf.watermark", "pdf_watermark", watermark, watermarkDoc),
		op.Define("files.pdf.merge", "pdf_merge", merge, mergeDoc),
		op.Define("files.pdf.splitPages", "pdf_split_pages", splitPages, splitPagesDoc),
		op.Define("files.pdf.setMetadata", "pdf_set_metadata", setMetadata, setMetadataDoc),
		op.Define("files.pdf.encrypt", "pdf_encrypt", encrypt, encryptDoc),
		op.Define("files.pdf.decrypt", "pdf_decrypt", decrypt, decryptDoc),
		op.Define("files.pdf.optimize", "pdf_optimize", optimize, optimizeDoc),
	}
}
