package workspace

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// CheckBackup tells what is wrong with a data folder that nobody has opened since it was
// put together of the parts of a backup. The backup may be anybody's: besides being whole,
// its metadata may name nothing that leads out of the folder, now or later.
func CheckBackup(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "sandboxd.db")
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?immutable=1")
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("the metadata cannot be read: %w", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("the metadata is damaged: %s", verdict)
	}
	if err := checkSchema(ctx, db); err != nil {
		return err
	}
	return eachFiled(ctx, path, func(hash string, size int64) error {
		info, err := os.Lstat(filepath.Join(dir, "files", filepath.FromSlash(diskPath(hash))))
		if err != nil || !info.Mode().IsRegular() || info.Size() != size {
			return fmt.Errorf("the content %s is missing or has another size", hash)
		}
		return nil
	})
}

// What may be in columns that become names of files and folders. Tokens may be for "*", and
// what belongs to no workspace or to no content has "".
const (
	goodWorkspace = "(? = '' OR ? = '*' OR length(?) <= 64 AND ? GLOB '[a-zA-Z0-9]*' AND ? NOT GLOB '*[^-a-zA-Z0-9._]*' AND ? NOT GLOB '*.')"
	goodHash      = "(? = '' OR length(?) = 64 AND ? NOT GLOB '*[^0-9a-f]*')"
)

var namingColumns = map[string]string{"workspace": goodWorkspace, "hash": goodHash, "db_changeset": goodHash}

// checkSchema refuses what would act by itself, and values that are no names of ours.
func checkSchema(ctx context.Context, db *sql.DB) error {
	var acting int
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'").Scan(&acting); err != nil {
		return fmt.Errorf("the metadata cannot be read: %w", err)
	}
	if acting > 0 {
		return fmt.Errorf("the metadata has triggers, views or virtual tables")
	}
	rows, err := db.QueryContext(ctx, "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'")
	if err != nil {
		return fmt.Errorf("the metadata cannot be read: %w", err)
	}
	defer rows.Close()
	type column struct{ table, name string }
	var columns []column
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.table, &c.name); err != nil {
			return err
		}
		columns = append(columns, c)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, c := range columns {
		good, names := namingColumns[strings.ToLower(c.name)]
		if !names {
			continue
		}
		var bad int
		query := "SELECT COUNT(*) FROM " + quoted(c.table) + " WHERE NOT " + strings.ReplaceAll(good, "?", quoted(c.name))
		if err := db.QueryRowContext(ctx, query).Scan(&bad); err != nil {
			return fmt.Errorf("the metadata cannot be read: %w", err)
		}
		if bad > 0 {
			return fmt.Errorf("in %d rows of the metadata's %s the %s is none", bad, cut(c.table, 100), c.name)
		}
	}
	return nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// restoredApart is how far the numbers of a restored log begin from those of the one that
// was backed up: further than that one can have come since.
const restoredApart = 1_000_000_000

// Restored makes a data folder of a checked backup another one than it was: what its log of
// events and its audit add gets numbers that the folder which was backed up will not have
// given since, so that who followed that one is not taken to have seen what it has not.
func Restored(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "sandboxd.db")
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=journal_mode(DELETE)&_pragma=synchronous(FULL)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	counters := []string{"events"}
	var audited bool
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM pragma_table_info('counters') WHERE name = 'audit'").Scan(&audited); err != nil {
		return fmt.Errorf("the metadata cannot be read: %w", err)
	}
	if audited { // older ones had no audit
		counters = append(counters, "audit")
	}
	for _, counter := range counters {
		done, err := db.ExecContext(ctx, "UPDATE counters SET "+counter+" = "+counter+" + ? WHERE id = 1 AND "+counter+" BETWEEN 0 AND 1 << 52", restoredApart)
		if err != nil {
			return fmt.Errorf("the metadata cannot be changed: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("the metadata does not count its %s", counter)
		}
	}
	return nil
}
