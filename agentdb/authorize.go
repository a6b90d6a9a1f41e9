package agentdb

import (
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// markerTable is the host's own table in the agent's database; transaction.go says what for.
const markerTable = "_host_commit"

// hostTables cannot be named by an agent's statement: the host's own, and SQLite's views of
// raw pages.
var hostTables = map[string]bool{markerTable: true, "sqlite_dbpage": true, "dbstat": true}

// modules are the kinds of virtual table that an agent may create.
var modules = map[string]bool{"fts5": true, "fts5vocab": true, "rtree": true, "rtree_i32": true, "geopoly": true}

// forbiddenFunctions reach out of the database, in one build of SQLite or another.
var forbiddenFunctions = map[string]bool{
	"load_extension": true, "fts3_tokenizer": true, "readfile": true, "writefile": true, "edit": true,
}

// pragmas are those an agent may use: true also with a value. FTS5 itself asks for
// data_version and R-Tree for page_size.
var pragmas = map[string]bool{
	"table_info": true, "table_xinfo": true, "table_list": true,
	"index_list": true, "index_info": true, "index_xinfo": true,
	"foreign_key_list": true, "foreign_key_check": true, "defer_foreign_keys": true,
	"foreign_keys":    true, // has no effect inside a transaction; scripts often say it
	"integrity_check": true, "quick_check": true, "user_version": true,
	"collation_list": true, "function_list": true, "module_list": true, "pragma_list": true, "compile_options": true,
	"data_version": false, "page_count": false, "page_size": false, "freelist_count": false,
	"encoding": false, "application_id": false, "schema_version": false, "journal_mode": false, "max_page_count": false,
}

// authorize decides about one action of an agent's statement while SQLite compiles it. It
// gives what is refused, or "". What it does not know it refuses. The meaning of first and
// second for each action: https://www.sqlite.org/c3ref/c_alter_table.html.
func authorize(action int32, first, second string) string {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE:
		return ""
	case sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE,
		sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_TEMP_TABLE, sqlite3.SQLITE_DROP_TABLE, sqlite3.SQLITE_DROP_TEMP_TABLE,
		sqlite3.SQLITE_CREATE_VIEW, sqlite3.SQLITE_CREATE_TEMP_VIEW, sqlite3.SQLITE_DROP_VIEW, sqlite3.SQLITE_DROP_TEMP_VIEW,
		sqlite3.SQLITE_ANALYZE, sqlite3.SQLITE_REINDEX:
		return refuseTable(first)
	case sqlite3.SQLITE_CREATE_INDEX, sqlite3.SQLITE_CREATE_TEMP_INDEX, sqlite3.SQLITE_DROP_INDEX, sqlite3.SQLITE_DROP_TEMP_INDEX,
		sqlite3.SQLITE_CREATE_TRIGGER, sqlite3.SQLITE_CREATE_TEMP_TRIGGER, sqlite3.SQLITE_DROP_TRIGGER, sqlite3.SQLITE_DROP_TEMP_TRIGGER,
		sqlite3.SQLITE_ALTER_TABLE:
		return refuseTable(second)
	case sqlite3.SQLITE_CREATE_VTABLE, sqlite3.SQLITE_DROP_VTABLE:
		if !modules[strings.ToLower(second)] {
			return "the virtual table module " + second
		}
		return refuseTable(first)
	case sqlite3.SQLITE_FUNCTION:
		if forbiddenFunctions[strings.ToLower(second)] {
			return "the function " + second
		}
		return ""
	case sqlite3.SQLITE_PRAGMA:
		withValue, known := pragmas[strings.ToLower(first)]
		if !known {
			return "PRAGMA " + first
		}
		if second != "" && !withValue {
			return "PRAGMA " + first + " with a value"
		}
		return refuseTable(second)
	case sqlite3.SQLITE_TRANSACTION:
		return first
	case sqlite3.SQLITE_SAVEPOINT:
		if strings.EqualFold(first, "BEGIN") {
			return "SAVEPOINT"
		}
		return first
	case sqlite3.SQLITE_ATTACH:
		return "ATTACH"
	case sqlite3.SQLITE_DETACH:
		return "DETACH"
	}
	return "this statement"
}

func refuseTable(name string) string {
	if hostTables[strings.ToLower(name)] {
		return "the table " + name
	}
	return ""
}

// instead says what to do when something is refused.
func instead(refused string) string {
	switch refused {
	case "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return "The whole run is one transaction already: it commits when the run ends well; throw an error to undo everything."
	case "ATTACH", "DETACH":
		return "There is one database per workspace; use files.* for other data."
	case "VACUUM":
		return "The host looks after the file; the space of deleted rows is used again."
	}
	if strings.HasPrefix(refused, "PRAGMA") {
		return "Use db.schema(), or the pragmas that describe the schema, such as table_info, index_list and foreign_key_list."
	}
	return "Use another name, or do without it."
}
