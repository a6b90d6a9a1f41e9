package pdf

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
)

// findLimits reads how long texts may be from the fields whose widgets do not say it
// themselves, which PDFium has no call for. In a file that is damaged or encrypted they stay
// without.
func findLimits(ctx context.Context, fields []*field, doc *pdfium.Document) error {
	var numbers *plaintext.Numbers
	for _, f := range fields {
		w := f.widgets[0]
		if w.Type != pdfium.TextField || w.MaxLength > 0 || w.Field <= 0 {
			continue
		}
		if numbers == nil {
			data, err := doc.Bytes()
			if err != nil {
				return err
			}
			if numbers, err = plaintext.OpenNumbers(data, plaintext.Options{}); err != nil {
				return nil
			}
		}
		f.MaxLength = max(0, numbers.Inherited(w.Field, "MaxLen"))
	}
	return ctx.Err()
}
