// Package db holds the operations of db.*: SQL on the workspace's own SQLite database.
//
// Imports op, host and problem. Start reading at Operations.
package db

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
)

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return op.Table{
		op.Define("db.sql", "db_sql", sql, sqlDoc),
		op.Define("db.schema", "db_schema", schema, schemaDoc),
	}
}

type sqlIn struct {
	SQL     string     `json:"sql" doc:"One statement, in SQLite's SQL"`
	Params  any        `json:"params,omitempty" doc:"Values for the statement's parameters: an array for ?, an object for :name. Each is null, a boolean, a number, a string, bytes or {base64}"`
	Options sqlOptions `json:"options" op:"options"`
}

type sqlOptions struct {
	As string `json:"as,omitempty" enum:"arrays,objects" doc:"What each row is: an array of cells in the order of columns (the default), or an object by column name"`
}

// sqlOut has two forms: that of a statement that returns rows, and that of one that does not.
type sqlOut struct {
	Columns   []string `json:"columns,omitempty" doc:"Column names, of a statement that returns rows"`
	Rows      *[]any   `json:"rows,omitempty" doc:"The rows"`
	RowCount  *int64   `json:"row_count,omitempty" js:"row_count" doc:"How many rows are here"`
	Truncated *bool    `json:"truncated,omitempty" doc:"Whether there were more rows than one answer may have"`

	Changes         *int64 `json:"changes,omitempty" doc:"Rows inserted, updated or deleted, by a statement that returns no rows"`
	LastInsertRowID *int64 `json:"last_insert_rowid,omitempty" js:"last_insert_rowid" doc:"The id of the row inserted last"`
}

func sql(ctx context.Context, env *op.Env, in sqlIn) (sqlOut, error) {
	query := host.Query{SQL: in.SQL}
	if err := SetParams(&query, in.Params); err != nil {
		return sqlOut{}, err
	}
	result, err := env.Host.SQL(ctx, query)
	if err != nil {
		return sqlOut{}, err
	}
	if result.Columns == nil {
		return sqlOut{Changes: &result.Changes, LastInsertRowID: &result.LastInsertID}, nil
	}
	count := int64(len(result.Rows))
	columns, rows := Rows(result, in.Options.As == "objects")
	return sqlOut{Columns: columns, Rows: &rows, RowCount: &count, Truncated: &result.Truncated}, nil
}

// Rows gives what a query answered as plain values: each row an array of cells in the
// order of columns, or else an object by column name, where names are made distinct.
func Rows(result *host.QueryResult, objects bool) (columns []string, rows []any) {
	columns = result.Columns
	if objects {
		columns = distinct(columns)
	}
	rows = make([]any, len(result.Rows))
	for i, cells := range result.Rows {
		for j, cell := range cells {
			cells[j] = plain(cell)
		}
		if objects {
			rows[i] = byName(columns, cells)
		} else {
			rows[i] = cells
		}
	}
	return columns, rows
}

// maxExact is the largest integer up to which a JavaScript number holds every one.
const maxExact = 1<<53 - 1

// plain gives a cell as JSON can hold it.
func plain(cell any) any {
	switch v := cell.(type) {
	case int64:
		if v > maxExact || v < -maxExact {
			return strconv.FormatInt(v, 10)
		}
	case host.Blob:
		return op.Object{{Name: "base64", Value: v.Base64}}
	}
	return cell
}

// distinct makes column names that can be members of one object: a second id is id:1, as
// SQLite itself names it when it makes a table of such columns.
func distinct(columns []string) []string {
	seen := make(map[string]bool, len(columns))
	names := make([]string, len(columns))
	for i, column := range columns {
		name := column
		for n := 1; seen[name]; n++ {
			name = fmt.Sprintf("%s:%d", column, n)
		}
		seen[name] = true
		names[i] = name
	}
	return names
}

func byName(columns []string, cells []any) op.Object {
	row := make(op.Object, len(cells))
	for i, cell := range cells {
		row[i] = op.Member{Name: columns[i], Value: cell}
	}
	return row
}

type schemaIn struct{}

type table struct {
	Name     string   `json:"name" doc:"The table or view"`
	Columns  []column `json:"columns" doc:"In the table's order"`
	RowCount int64    `json:"row_count" js:"row_count" doc:"Rows now; -1 for a view that cannot be counted"`
}

type column struct {
	Name    string `json:"name" doc:"The column"`
	Type    string `json:"type" doc:"As declared; may be empty"`
	NotNull bool   `json:"notnull" doc:"Declared NOT NULL"`
	PK      bool   `json:"pk" doc:"Part of the primary key"`
}

type schemaOut struct {
	Tables []table `json:"tables" doc:"Tables and views, by name"`
}

func schema(ctx context.Context, env *op.Env, _ schemaIn) (schemaOut, error) {
	found, err := env.Host.Schema(ctx)
	out := schemaOut{Tables: []table{}}
	for _, t := range found {
		columns := []column{}
		for _, c := range t.Columns {
			columns = append(columns, column(c))
		}
		out.Tables = append(out.Tables, table{t.Name, columns, t.RowCount})
	}
	return out, err
}
