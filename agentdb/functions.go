package agentdb

import (
	"bytes"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite's instr and replace compare at every place of the text: 2.3 s for 400 KB in
// 800 KB, and a quarter of an hour for values of 10 MB, in which nothing can stop them.
// These answer the same in linear time.

// replaceFunctions puts linear functions in the place of SQLite's.
func replaceFunctions(c *conn) error {
	for name, f := range map[string]struct {
		args int32
		call uintptr
	}{
		"instr":   {2, callback(onInstr)},
		"replace": {3, callback(onReplace)},
	} {
		text := c.cBytes(name)
		rc := sqlite3.Xsqlite3_create_function_v2(c.tls, c.db, text, f.args,
			sqlite3.SQLITE_UTF8|sqlite3.SQLITE_DETERMINISTIC|sqlite3.SQLITE_INNOCUOUS, 0, f.call, 0, 0, 0)
		c.free(text)
		if rc != sqlite3.SQLITE_OK {
			return fmt.Errorf("create function %s: %w", name, c.failure(rc))
		}
	}
	return nil
}

// onInstr is instr(text, part): the place of the first part, in characters from 1, or in
// bytes if both are blobs; 0 if there is none.
func onInstr(tls *libc.TLS, context uintptr, _ int32, args uintptr) {
	text, part := *at[uintptr](args), *at[uintptr](args + unsafe.Sizeof(args))
	textKind, partKind := sqlite3.Xsqlite3_value_type(tls, text), sqlite3.Xsqlite3_value_type(tls, part)
	if textKind == sqlite3.SQLITE_NULL || partKind == sqlite3.SQLITE_NULL {
		return
	}
	if textKind == sqlite3.SQLITE_BLOB && partKind == sqlite3.SQLITE_BLOB {
		n := bytes.Index(blobOf(tls, text), blobOf(tls, part))
		sqlite3.Xsqlite3_result_int64(tls, context, int64(n+1))
		return
	}
	// Reading a value as text makes it text, also where it is used again.
	text, part = sqlite3.Xsqlite3_value_dup(tls, text), sqlite3.Xsqlite3_value_dup(tls, part)
	defer sqlite3.Xsqlite3_value_free(tls, text)
	defer sqlite3.Xsqlite3_value_free(tls, part)
	if text == 0 || part == 0 {
		sqlite3.Xsqlite3_result_error_nomem(tls, context)
		return
	}
	sqlite3.Xsqlite3_result_int64(tls, context, characterIndex(textOf(tls, text), textOf(tls, part)))
}

// characterIndex finds part where a character begins. SQLite takes any byte for one but
// UTF-8's continuation bytes, and the first byte in any case.
func characterIndex(text, part []byte) int64 {
	at := bytes.Index(text, part)
	if at > 0 && !utf8.RuneStart(part[0]) {
		return 0
	}
	if at < 0 {
		return 0
	}
	place := int64(1)
	for i := 1; i <= at; i++ {
		if utf8.RuneStart(text[i]) {
			place++
		}
	}
	return place
}

// onReplace is replace(text, part, by).
func onReplace(tls *libc.TLS, context uintptr, _ int32, args uintptr) {
	var values [3][]byte
	for i := range values {
		value := *at[uintptr](args + uintptr(i)*unsafe.Sizeof(args))
		if sqlite3.Xsqlite3_value_type(tls, value) == sqlite3.SQLITE_NULL {
			if i == 2 && (len(values[1]) == 0 || values[1][0] == 0) {
				break // nothing is replaced
			}
			return
		}
		values[i] = textOf(tls, value)
	}
	text, part, by := values[0], values[1], values[2]
	if len(part) == 0 || part[0] == 0 {
		part = nil
	}
	n := int64(len(text))
	if part != nil {
		n += int64(bytes.Count(text, part)) * int64(len(by)-len(part))
	}
	if n > maxValue {
		sqlite3.Xsqlite3_result_error_toobig(tls, context)
		return
	}
	out := sqlite3.Xsqlite3_malloc(tls, int32(n)+1)
	if out == 0 {
		sqlite3.Xsqlite3_result_error_nomem(tls, context)
		return
	}
	room := unsafe.Slice(at[byte](out), n+1)[:0]
	for part != nil {
		i := bytes.Index(text, part)
		if i < 0 {
			break
		}
		room = append(append(room, text[:i]...), by...)
		text = text[i+len(part):]
	}
	room = append(append(room, text...), 0)
	sqlite3.Xsqlite3_result_text(tls, context, out, int32(n), callback(sqlite3.Xsqlite3_free))
}

// textOf and blobOf view a value where SQLite has it.
func textOf(tls *libc.TLS, value uintptr) []byte {
	return view(sqlite3.Xsqlite3_value_text(tls, value), sqlite3.Xsqlite3_value_bytes(tls, value))
}

func blobOf(tls *libc.TLS, value uintptr) []byte {
	return view(sqlite3.Xsqlite3_value_blob(tls, value), sqlite3.Xsqlite3_value_bytes(tls, value))
}

func view(address uintptr, n int32) []byte {
	if address == 0 || n <= 0 {
		return nil
	}
	return unsafe.Slice(at[byte](address), n)
}
