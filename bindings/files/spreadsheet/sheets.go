package spreadsheet

import (
	"context"
	"io"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
)

type sheetNameIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Name   string `json:"name" doc:"Name of the sheet"`
}

func addSheet(ctx context.Context, env *op.Env, in sheetNameIn) (okOut, error) {
	if err := sheet.CheckName(in.Name); err != nil {
		return okOut{}, err
	}
	err := edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, err := d.workbook("adding a sheet")
		if err != nil {
			return err
		}
		return d.replace(ctx, func(ctx context.Context, w io.Writer) error { return wb.AddSheet(ctx, w, edits, in.Name) })
	})
	return okOut{err == nil}, err
}

func deleteSheet(ctx context.Context, env *op.Env, in sheetNameIn) (okOut, error) {
	err := edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, err := d.settled(ctx, "deleting a sheet")
		if err != nil {
			return err
		}
		i, err := findSheet(wb, in.Name)
		if err != nil {
			return err
		}
		return d.replace(ctx, func(ctx context.Context, w io.Writer) error { return wb.DeleteSheet(ctx, w, edits, i) })
	})
	return okOut{err == nil}, err
}

type renameSheetIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	NewName string `json:"new_name" doc:"Its new name: 1 to 31 characters, none of : \\ / ? * [ ]"`
}

func renameSheet(ctx context.Context, env *op.Env, in renameSheetIn) (okOut, error) {
	if err := sheet.CheckName(in.NewName); err != nil {
		return okOut{}, err
	}
	err := edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, err := d.settled(ctx, "renaming the sheet")
		if err != nil {
			return err
		}
		i, err := findSheet(wb, in.Sheet)
		if err != nil {
			return err
		}
		return d.replace(ctx, func(ctx context.Context, w io.Writer) error { return wb.RenameSheet(ctx, w, edits, i, in.NewName) })
	})
	return okOut{err == nil}, err
}

type copySheetIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet to copy"`
	NewName string `json:"new_name,omitempty" doc:"Name of the copy. Omit for one like \"Budget (2)\"."`
}

type copySheetOut struct {
	Name      string   `json:"name" doc:"The copy's name"`
	NotCopied []string `json:"not_copied" doc:"What of the sheet could not be copied, such as pivot tables; usually nothing"`
}

func copySheet(ctx context.Context, env *op.Env, in copySheetIn) (out copySheetOut, err error) {
	out = copySheetOut{in.NewName, []string{}}
	if in.NewName != "" {
		if err := sheet.CheckName(in.NewName); err != nil {
			return out, err
		}
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		if _, _, err := d.worksheet(in.Sheet, "copying a sheet"); err != nil {
			return err
		}
		book, err := d.current(ctx) // the copy has what the run has written
		if err != nil {
			return err
		}
		wb, i, err := d.worksheet(in.Sheet, "copying a sheet")
		if err != nil {
			return err
		}
		if out.Name == "" {
			out.Name = book.(*xlsx.Workbook).CopyName(i)
		}
		return d.replace(ctx, func(ctx context.Context, w io.Writer) error {
			left, err := wb.CopySheet(ctx, w, i, out.Name)
			out.NotCopied = append(out.NotCopied, left...)
			return err
		})
	})
	return out, err
}
