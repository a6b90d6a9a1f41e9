package server

import (
	"net/http"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/bindings"
)

// Who may what. A script can do to files whatever its token's workspace has, so run stands
// in for both of theirs.
var (
	reading = []access.Scope{access.FilesRead, access.Run}
	writing = []access.Scope{access.FilesWrite, access.Run}
	running = []access.Scope{access.Run}
	ruling  = []access.Scope{access.Admin}
)

var (
	sessionParameter = parameter{"session_id", text, false, "Provenance of what is made."}
	replaceParameter = parameter{"replace", flag, false, "Make a new version of a file of the same name; otherwise a taken name becomes \"name (2).ext\"."}
)

// routes is everything that the server answers.
func (s *server) routes() []route {
	var list []route
	for _, part := range [][]route{s.healthRoutes(), s.runRoutes(), s.toolRoutes(), s.fileRoutes(), s.uploadRoutes(), s.stateRoutes(), s.eventRoutes(), s.tokenRoutes(), s.linkRoutes(), s.auditRoutes(), s.upkeepRoutes()} {
		list = append(list, part...)
	}
	return list
}

func (s *server) healthRoutes() []route {
	return []route{
		gives(route{method: "GET", path: "/healthz", id: "health", tag: "server", open: true, summary: "Is the process up?"}, s.health),
		gives(route{method: "GET", path: "/readyz", id: "ready", tag: "server", open: true, summary: "Can it take work?",
			answers: []content{{status: 503, doc: "It is stopping, or its data folder does not answer.", media: problemMedia, of: problemDetails{}}}}, s.ready),
		{method: "GET", path: "/metrics", id: "metrics", tag: "server", scopes: ruling, summary: "Figures of the whole server, for Prometheus.",
			answers: []content{{status: 200, doc: "The text format of Prometheus.", media: "text/plain"}}, serve: s.showMetrics},
		{method: "GET", path: "/api/openapi.json", id: "openapi", tag: "server", open: true, summary: "This document.",
			answers: []content{{status: 200, doc: "OpenAPI 3.1.", media: jsonMedia, of: map[string]any{}}}, serve: s.showDocument},
		{method: "GET", path: "/{$}", id: "index", tag: "server", scopes: reading, summary: "What is in the workspace, for people.",
			answers: []content{{status: 200, doc: "A page.", media: "text/html"}}, serve: s.index},
	}
}

func (s *server) runRoutes() []route {
	return []route{
		{method: "POST", path: "/api/runs", id: "run", tag: "runs", scopes: running, summary: "Run a script.",
			details: "Answers when the run has ended; whatever it changed is committed by then. A script that fails is a good request with a bad outcome: 200 and ok: false. With \"wait\": false, or the header Prefer: respond-async, answers at once; follow the run's log, or look at it, and its result is kept with it.",
			headers: []parameter{{"Prefer", text, false, "respond-async (RFC 7240) is the same as \"wait\": false."}},
			body:    &content{media: jsonMedia, of: runRequest{}},
			answers: []content{{status: 200, doc: "The run has ended, well or not.", media: jsonMedia, of: runAnswer{}},
				{status: 202, doc: "The run has begun.", media: jsonMedia, of: runStarted{}, header: map[string]string{"Location": "The run."}}},
			serve: s.submitRun},
		gives(route{method: "GET", path: "/api/runs", id: "listRuns", tag: "runs", scopes: running, summary: "List runs, the latest first.",
			query: []parameter{{"limit", counted, false, "How many, at most 1,000. Defaults to 100."}, {"before", text, false, "Only runs that began before this one, by its id: the way to page."}}}, s.listRuns),
		gives(route{method: "GET", path: "/api/runs/{id}", id: "getRun", tag: "runs", scopes: running, summary: "Look at a run."}, s.showRun),
		{method: "GET", path: "/api/runs/{id}/logs", id: "followRun", tag: "runs", scopes: running, streams: true, summary: "Follow what a run writes to its console.",
			details: "A stream of server-sent events: run:log with {id, lines: [{level, text, time_ms}]}, from the run's first line on, and at its end run:finished, after which the stream ends. Goes on after Last-Event-ID.",
			headers: []parameter{lastEventID},
			answers: []content{{status: 200, doc: "Server-sent events.", media: eventMedia}, {status: 204, doc: "The run has ended, and the client has all."}}, serve: s.followRun},
		gives(route{method: "POST", path: "/api/runs/{id}/cancel", id: "cancelRun", tag: "runs", scopes: running, summary: "End a run that is under way; it changes nothing."}, s.cancelRun),
		gives(route{method: "POST", path: "/api/runs/{id}/undo", id: "undoRun", tag: "runs", scopes: running, summary: "Take back what a run did, as a run of its own.",
			query: []parameter{{"force", flag, false, "Also where later runs changed the same things; what they made of them stays as versions."}}}, s.undoRun),
	}
}

func (s *server) toolRoutes() []route {
	return []route{
		{method: "GET", path: "/api/tools", id: "listTools", tag: "tools", summary: "List the operations as a model's client wants its tools.",
			query:   []parameter{{"format", text, false, "mcp, openai or anthropic. Defaults to all that is known: name, description, input_schema, output_schema."}},
			answers: []content{{status: 200, doc: "The tools.", media: jsonMedia, of: toolList{}}}, serve: s.listTools},
		takesAndGives(route{method: "POST", path: "/api/tools/{tool}", id: "callTool", tag: "tools", scopes: running, summary: "Call one operation, as a run of its own.",
			details: "The body is the operation's arguments, as its input schema says.", query: []parameter{sessionParameter}}, s.callTool),
		{method: "GET", path: "/api/types.d.ts", id: "types", tag: "tools", summary: "TypeScript declarations of everything that a script can call.",
			answers: []content{{status: 200, doc: "Declarations.", media: "text/plain"}},
			serve: func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", "text/plain; charset=utf-8")
				send(w, http.StatusOK, []byte(bindings.Table().TypeScript()))
				return nil
			}},
	}
}

func (s *server) fileRoutes() []route {
	version := parameter{"version", counted, false, "Which version. Defaults to the latest."}
	return []route{
		gives(route{method: "GET", path: "/api/files", id: "listFiles", tag: "files", scopes: reading, summary: "List files, ordered by name.",
			query: []parameter{{"pattern", text, false, "A glob, such as *.csv or reports/**."}}}, s.listFiles),
		{method: "POST", path: "/api/files/upload", id: "uploadFiles", tag: "files", scopes: writing, summary: "Upload files as a form, all of them or none.",
			details: "Every part with a filename is a file; other fields are passed over.",
			query:   []parameter{replaceParameter, sessionParameter},
			body:    &content{media: "multipart/form-data", of: uploadForm},
			answers: []content{{status: 201, doc: "The files are stored.", media: jsonMedia, of: uploaded{}}}, serve: s.upload},
		gives(route{method: "GET", path: "/api/files/{id}", id: "getFile", tag: "files", scopes: reading, summary: "Look at a file, by id or name."}, s.showFile),
		{method: "PUT", path: "/api/files/{id}", id: "putFile", tag: "files", scopes: writing, summary: "Upload one file as the body.",
			details: "Makes a new version of the file with this id or name, or else a file of this name.",
			query:   []parameter{sessionParameter},
			headers: []parameter{{"If-None-Match", text, false, "* makes a new file only; precondition_failed if there is one."}, {"If-Match", text, false, "An ETag that the file must still have; precondition_failed if not."}},
			body:    &content{media: bytesMedia},
			answers: []content{{status: 200, doc: "The file has a new version.", media: jsonMedia, of: uploadedFile{}}, {status: 201, doc: "The file was made.", media: jsonMedia, of: uploadedFile{}}}, serve: s.putFile},
		takesAndGives(route{method: "PATCH", path: "/api/files/{id}", id: "renameFile", tag: "files", scopes: writing, summary: "Rename a file."}, s.renameFile),
		gives(route{method: "DELETE", path: "/api/files/{id}", id: "deleteFile", tag: "files", scopes: writing, summary: "Delete a file; its versions are kept.",
			headers: []parameter{{"If-Match", text, false, "An ETag that the file must still have; precondition_failed if not."}}}, s.deleteFile),
		{method: "GET", path: "/api/files/{id}/download", id: "downloadFile", tag: "files", scopes: reading, summary: "Download a file's bytes.",
			details: "Takes ranges and conditional requests; the ETag is the SHA-256 of the content.",
			query:   []parameter{version},
			headers: []parameter{{"Range", text, false, "A part of the file (RFC 9110)."}, {"If-None-Match", text, false, "An ETag that the client has already."}},
			answers: []content{{status: 200, doc: "The file.", media: bytesMedia, header: map[string]string{"ETag": "SHA-256 of the content.", "Content-Disposition": "Its name (RFC 6266)."}},
				{status: 206, doc: "A part of it.", media: bytesMedia}, {status: 304, doc: "The client has it."},
				{status: 416, doc: "The file has no such part.", media: problemMedia, of: problemDetails{}}}, serve: s.download},
		gives(route{method: "GET", path: "/api/files/{id}/versions", id: "listVersions", tag: "files", scopes: reading, summary: "List a file's versions, newest first; of a deleted file too."}, s.listVersions),
		takesAndGives(route{method: "POST", path: "/api/files/{id}/restore", id: "restoreFile", tag: "files", scopes: writing, summary: "Make an old version the newest one, also of a deleted file."}, s.restoreFile),
	}
}

func (s *server) stateRoutes() []route {
	return []route{
		gives(route{method: "GET", path: "/api/state", id: "listState", tag: "state", scopes: reading, summary: "The workspace's state.",
			query: []parameter{{"prefix", text, false, "Only keys that begin with this."}}}, s.listState),
		gives(route{method: "GET", path: "/api/state/{key}", id: "getState", tag: "state", scopes: reading, summary: "One key of the workspace's state; null if there is none."}, s.showState),
		gives(route{method: "GET", path: "/api/workspace", id: "getWorkspace", tag: "state", scopes: reading, summary: "What the workspace is, holds, and may hold."}, s.showWorkspace),
	}
}
