package agentdb

import (
	"context"
	"strings"

	"github.com/sandboxd/sandboxd/host"
)

// schema is what the database holds, as of one version of it.
type schema struct {
	version int64
	objects map[string]object // by name, which is unique over all kinds
	shadow  map[string]bool   // tables that a virtual table keeps for itself
}

// object is a table, index, view or trigger that an agent made.
type object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	SQL  string `json:"sql"`
}

func (o object) virtual() bool {
	return o.Kind == "table" && strings.HasPrefix(strings.ToUpper(o.SQL), "CREATE VIRTUAL")
}

// readSchema reads what the database holds, or gives last if that is still so.
func (db *DB) readSchema(last *schema) (*schema, error) {
	version, err := db.conn.number("PRAGMA schema_version")
	if err != nil || last != nil && last.version == version {
		return last, err
	}
	s := &schema{version: version, objects: map[string]object{}, shadow: map[string]bool{}}
	rows, err := db.conn.query(`SELECT type, name, sql FROM main.sqlite_schema
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> '` + markerTable + `'`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		o := object{Kind: row[0].(string), Name: row[1].(string), SQL: row[2].(string)}
		s.objects[o.Name] = o
	}
	rows, err = db.conn.query(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		s.shadow[row[0].(string)] = true
	}
	return s, nil
}

// Schema lists the agent's tables and views by name, as the open transaction sees them.
// RowCount is -1 for a view that cannot be counted.
func (db *DB) Schema(ctx context.Context) ([]host.Table, error) {
	leave, err := db.enter(ctx, true)
	if err != nil {
		return nil, err
	}
	defer leave()
	if db.run != nil && db.run.ended != nil {
		return nil, db.run.ended
	}
	tables := []host.Table{}
	err = db.guard.trusted(func() error {
		rows, err := db.conn.query(`SELECT name, type FROM pragma_table_list
			WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> '` + markerTable + `' ORDER BY name`)
		if err != nil {
			return err
		}
		for _, row := range rows {
			table := host.Table{Name: row[0].(string), Columns: []host.Column{}}
			if table.Columns, err = db.columns(table.Name); err == nil {
				table.RowCount, err = db.rowCount(table.Name)
			}
			if err != nil {
				if row[1] != "view" || db.guard.stop.Load() != nil {
					return err
				}
				table.RowCount = -1 // it selects what is no longer there
			}
			tables = append(tables, table)
		}
		return nil
	})
	if err != nil {
		failure := db.explain(err, "")
		if db.run == nil {
			return nil, failure
		}
		return nil, db.settle(failure)
	}
	return tables, nil
}

func (db *DB) columns(table string) ([]host.Column, error) {
	rows, err := db.conn.query(`SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1`, table)
	columns := []host.Column{}
	for _, row := range rows {
		name, _ := row[0].(string)
		kind, _ := row[1].(string)
		columns = append(columns, host.Column{Name: name, Type: kind, NotNull: row[2] != int64(0), PK: row[3] != int64(0)})
	}
	return columns, err
}

// rowCount counts with the agent's rights: a view is the agent's SQL.
func (db *DB) rowCount(table string) (int64, error) {
	db.guard.own = false
	defer func() { db.guard.own = true }()
	return db.conn.number(`SELECT count(*) FROM main.` + quote(table))
}

// quote makes a name of anything.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
