package problem

import "sort"

// Code names one entry of the table. Codes are stable: clients may switch on them.
type Code string

// The codes, grouped by who can do something about them.
const (
	// The script.
	ScriptError Code = "script_error"
	SyntaxError Code = "syntax_error"

	// The call.
	InvalidArgument     Code = "invalid_argument"
	UnknownOperation    Code = "unknown_operation"
	NotFound            Code = "not_found"
	Exists              Code = "exists"
	Conflict            Code = "conflict"
	NotText             Code = "not_text"
	DamagedFile         Code = "damaged_file"
	UnsupportedFormat   Code = "unsupported_format"
	PasswordRequired    Code = "password_required"
	SQLError            Code = "sql_error"
	MethodNotAllowed    Code = "method_not_allowed"
	RequestTooLarge     Code = "request_too_large"
	PreconditionFailed  Code = "precondition_failed"
	Locked              Code = "locked"
	RangeNotSatisfiable Code = "range_not_satisfiable"
	FetchFailed         Code = "fetch_failed"

	// The limits (DESIGN section 5).
	Timeout        Code = "timeout"
	CPULimit       Code = "cpu_limit"
	MemoryLimit    Code = "memory_limit"
	StackOverflow  Code = "stack_overflow"
	CallLimit      Code = "call_limit"
	ResultTooLarge Code = "result_too_large"
	FileTooLarge   Code = "file_too_large"
	WorkspaceFull  Code = "workspace_full"
	DBFull         Code = "db_full"
	TooComplex     Code = "too_complex"
	Busy           Code = "busy"

	// The host.
	Unauthorized  Code = "unauthorized"
	Forbidden     Code = "forbidden"
	EngineMissing Code = "engine_missing"
	Canceled      Code = "canceled"
	WorkerLost    Code = "worker_lost"
	Internal      Code = "internal"
)

// Entry is what the table says of a code.
type Entry struct {
	Code   Code
	Status int    // HTTP status
	Title  string // one line, the same for every occurrence
	Hint   string // what to do, unless the error says better
}

// Anchor is the entry's place in docs/errors.md.
func (e Entry) Anchor() string { return "errors.md#" + string(e.Code) }

var table = func() map[Code]Entry {
	byCode := make(map[Code]Entry, len(entries))
	for _, e := range entries {
		byCode[e.Code] = e
	}
	return byCode
}()

var entries = []Entry{
	{ScriptError, 422, "The script threw an error", "Look at the line and column; nothing the run did was kept."},
	{SyntaxError, 422, "The script does not parse", "Fix the syntax at the line and column."},
	{InvalidArgument, 400, "An argument is wrong", "Look at the expected type or value, or call help(\"the function\")."},
	{UnknownOperation, 404, "There is no such operation", "Call help() for the list, or help(\"what you want to do\") to search."},
	{NotFound, 404, "There is no such thing", "List what is there first, for example with files.list()."},
	{Exists, 409, "The name is taken", "Use another name, or work on the file that exists; details.id names it."},
	{Conflict, 409, "Something else changed it first", "Look at what changed, then try again."},
	{NotText, 415, "The file is not text", "Use the operations for its format, or files.readBytes."},
	{DamagedFile, 422, "The file is damaged", "Ask for a new copy of the file."},
	{UnsupportedFormat, 415, "The format is not supported", "Convert the file to a supported format first."},
	{PasswordRequired, 422, "The file is encrypted", "Pass its password in the options."},
	{SQLError, 422, "The database refused the statement", "Fix the statement; db.schema() lists tables and columns."},
	{MethodNotAllowed, 405, "The address does not take this method", "Use a method that the Allow header names."},
	{RequestTooLarge, 413, "The request is too large", "Upload large data as a file, and let the script read it."},
	{PreconditionFailed, 412, "The request's condition does not hold", "Look at what is there, then send the request again."},
	{Locked, 423, "Another request works on it", "Try again in a moment."},
	{RangeNotSatisfiable, 416, "The file has no such part", "Ask for a part within details.size, or for the whole file."},
	{FetchFailed, 502, "The download failed", "Check the address; only public http and https addresses can be fetched."},
	{Timeout, 422, "The run took too long", "Do less in one run, or ask for a longer timeout."},
	{CPULimit, 422, "The run used too much CPU time", "Do less in one run; prefer operations over loops in JavaScript."},
	{MemoryLimit, 422, "The run used too much memory", "Work on ranges or pages instead of whole files."},
	{StackOverflow, 422, "The call stack grew too deep", "Replace the recursion by a loop."},
	{CallLimit, 422, "The run made too many calls", "Read or write ranges instead of single items."},
	{ResultTooLarge, 422, "The result is too large", "Return a part or a summary, or write it to a file and return its id."},
	{FileTooLarge, 413, "The file is too large", "Split the data over several files."},
	{WorkspaceFull, 507, "The workspace is full", "Delete files that are no longer needed; old versions count too."},
	{DBFull, 507, "The database is full", "Delete rows or drop tables that are no longer needed."},
	{TooComplex, 422, "The file is too complex", "Work on a smaller file."},
	{Busy, 503, "The host is busy", "Try again in a moment."},
	{Unauthorized, 401, "The token is missing or wrong", "Send a valid token as Authorization: Bearer TOKEN."},
	{Forbidden, 403, "This is not allowed", "Use what the sandbox offers; help() lists it."},
	{EngineMissing, 501, "A part of sandboxd is not installed", "Run sandboxd doctor; it says what is missing and how to get it."},
	{Canceled, 499, "The caller cancelled", "Run it again if it is still wanted."},
	{WorkerLost, 500, "The worker process ended unexpectedly", "Run it again; if it happens again, the file or script may be at fault."},
	{Internal, 500, "Something went wrong inside sandboxd", "Try again; the operator's log has the cause."},
}

// Table lists every entry, ordered by code.
func Table() []Entry {
	list := append([]Entry(nil), entries...)
	sort.Slice(list, func(i, j int) bool { return list[i].Code < list[j].Code })
	return list
}

// Lookup gives the entry of a code, and whether there is one.
func Lookup(code Code) (Entry, bool) {
	e, ok := table[code]
	return e, ok
}
