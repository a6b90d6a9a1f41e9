package mcp

import (
	"net/url"
	"strconv"
	"strings"
)

// The addresses of resources.
const (
	filePrefix   = "sandboxd://files/"
	runPrefix    = "sandboxd://runs/"
	fileTemplate = filePrefix + "{+file}{?version}" // file is an id, or a name with its folders
	runTemplate  = runPrefix + "{run}"
)

// fileURI is a file's address by its id, which outlives its names.
func fileURI(id string) string { return filePrefix + url.PathEscape(id) }

// maxURI is how many bytes an address may have: subscriptions keep theirs.
const maxURI = 8 << 10

// parseFileURI reads the id or name and the version, 0 for the latest, of a file's address.
func parseFileURI(uri string) (ref string, version int64, ok bool) {
	rest, ok := strings.CutPrefix(uri, filePrefix)
	if !ok || len(uri) > maxURI {
		return "", 0, false
	}
	rest, query, _ := strings.Cut(rest, "?")
	ref, err := url.PathUnescape(rest)
	if err != nil || ref == "" {
		return "", 0, false
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", 0, false
	}
	if text := values.Get("version"); text != "" {
		if version, err = strconv.ParseInt(text, 10, 64); err != nil || version < 1 {
			return "", 0, false
		}
	}
	return ref, version, true
}

// parseRunURI reads the id of a run's address.
func parseRunURI(uri string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(uri, runPrefix)
	if !ok {
		return "", false
	}
	id, err := url.PathUnescape(rest)
	return id, err == nil && id != ""
}
