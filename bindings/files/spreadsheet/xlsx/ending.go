package xlsx

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Ending is where the rows of a sheet end, and how its columns look there.
type Ending struct {
	Used   sheet.Range    // zero if there is no value
	Styles map[int]uint32 // by column, as sheet.Cell.Style
}

// endingRows is how many rows above the end are looked at for how a column's cells look.
const endingRows = 20

// Ending finds out where a sheet ends with the edits. What the file has is looked at once:
// a run may append row by row. Rows and columns must not have moved.
func (e *Edits) Ending(ctx context.Context, wb *Workbook, i int) (Ending, error) {
	end, known := e.ends[i]
	if !known {
		used, _, err := wb.Used(ctx, i)
		if err != nil {
			return Ending{}, err
		}
		end = Ending{used, map[int]uint32{}}
		tail := sheet.Range{MinCol: 1, MinRow: max(used.MaxRow-endingRows, 1), MaxCol: sheet.MaxCol, MaxRow: max(used.MaxRow, 1)}
		err = wb.Rows(ctx, i, tail, func(_ int, cells []sheet.Cell) error {
			for _, c := range cells {
				end.Styles[int(c.Col)] = c.Style
			}
			return nil
		})
		if err != nil {
			return Ending{}, err
		}
		if e.ends == nil {
			e.ends = map[int]Ending{}
		}
		e.ends[i] = end
	}
	if waiting := e.Used(i); waiting.MinRow > 0 {
		if end.Used.MinRow == 0 {
			end.Used = waiting
		} else {
			end.Used.Include(waiting.MinCol, waiting.MinRow)
			end.Used.Include(waiting.MaxCol, waiting.MaxRow)
		}
	}
	return end, nil
}
