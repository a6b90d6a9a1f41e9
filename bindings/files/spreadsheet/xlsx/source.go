package xlsx

import "io"

// Bytes gives the workbook's file, for a library that reads all of it.
func (wb *Workbook) Bytes() *io.SectionReader {
	return io.NewSectionReader(wb.archive.src, 0, wb.archive.size)
}

// IsDate tells whether a style shows numbers as dates. It is known of sheets that were
// read.
func (wb *Workbook) IsDate(style uint32) bool {
	s := wb.styles.table.Load()
	return s != nil && int(style) < len(s.isDate) && s.isDate[style]
}
