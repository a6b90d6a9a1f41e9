// Package files holds the operations of files.* that work on any file: management, text
// by lines, bytes, versions and search. The formats are in the folders below.
//
// A file that a run changes by lines or bytes is held as a document and saved once, when
// the run ends or something else needs its bytes; text/ knows how texts are written down.
//
// Imports op, host, problem, limits, pattern and text. Start reading at Operations, then at edit
// and view in document.go.
package files

import "github.com/sandboxd/sandboxd/op"

// Operations lists the operations, in the order of the reference.
func Operations() op.Table {
	return op.Table{
		// Management.
		op.Define("files.list", "file_list", list, listDoc),
		op.Define("files.info", "file_info", info, infoDoc),
		op.Define("files.create", "file_create", create, createDoc),
		op.Define("files.delete", "file_delete", remove, deleteDoc),
		op.Define("files.copy", "file_copy", copyFile, copyDoc),
		op.Define("files.rename", "file_rename", rename, renameDoc),
		op.Define("files.download", "file_download", download, downloadDoc),

		// Text, by lines.
		op.Define("files.readText", "file_read_text", readText, readTextDoc),
		op.Define("files.writeText", "file_write_text", writeText, writeTextDoc),
		op.Define("files.append", "file_append", appendText, appendDoc),
		op.Define("files.replaceLines", "file_replace_lines", replaceLines, replaceLinesDoc),
		op.Define("files.insertLines", "file_insert_lines", insertLines, insertLinesDoc),
		op.Define("files.searchText", "file_search_text", searchText, searchTextDoc),
		op.Define("files.lineCount", "file_line_count", lineCount, lineCountDoc),
		op.Define("files.search", "file_search", search, searchDoc),

		// Bytes.
		op.Define("files.readBytes", "file_read_bytes", readBytes, readBytesDoc),
		op.Define("files.writeBytes", "file_write_bytes", writeBytes, writeBytesDoc),
		op.Define("files.appendBytes", "file_append_bytes", appendBytes, appendBytesDoc),

		// Versions.
		op.Define("files.versions", "file_versions", versions, versionsDoc),
		op.Define("files.restore", "file_restore", restore, restoreDoc),
	}
}
