package sheet

import "context"

// ReadRange gives a range's values as rows of equal length, each made a T by of; an empty
// cell is T's zero value. What an open-ended range has no end for ends with the last cell
// in use. It reads in one pass; when the answer would have more than maxCells cells it
// stops and answers false.
func ReadRange[T any](ctx context.Context, book Book, sheet int, within Range, maxCells int, of func(Value) T) (rows [][]T, fits bool, err error) {
	if within.MaxRow < within.MinRow || within.MaxCol < within.MinCol {
		return [][]T{}, true, nil
	}
	openCols := within.MaxCol == Unbounded
	width := 0 // of the answer, as far as it is known
	if !openCols {
		width = within.Cols()
	}
	if within.MaxRow != Unbounded && within.Rows() > maxCells/max(width, 1) {
		return nil, false, nil
	}
	height := 0
	fits = true
	// A row is as wide as its last cell until all are known.
	grow := func(height, width int) bool {
		fits = height <= maxCells/max(width, 1)
		return fits
	}
	err = book.Rows(ctx, sheet, within, func(row int, cells []Cell) error {
		if len(cells) == 0 {
			return nil
		}
		height = max(height, row-within.MinRow+1)
		if openCols {
			width = max(width, int(cells[len(cells)-1].Col)-within.MinCol+1)
		}
		if !grow(height, width) {
			return Stop
		}
		for len(rows) < height {
			rows = append(rows, nil)
		}
		line := rows[row-within.MinRow]
		if len(line) < width {
			line = append(line, make([]T, width-len(line))...)
			rows[row-within.MinRow] = line
		}
		for _, c := range cells {
			line[int(c.Col)-within.MinCol] = of(c.Value)
		}
		return nil
	})
	if err != nil || !fits {
		return nil, fits, err
	}
	if within.MaxRow != Unbounded {
		height = within.Rows()
	}
	if !grow(height, width) {
		return nil, false, nil
	}
	for len(rows) < height {
		rows = append(rows, nil)
	}
	for i, line := range rows {
		if len(line) < width {
			rows[i] = append(line[:len(line):len(line)], make([]T, width-len(line))...)
		}
	}
	if rows == nil {
		rows = [][]T{}
	}
	return rows, true, nil
}
