package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// mostRanges is how many parts of a file one request may ask for: each costs a header, and
// parts that overlap would make a large answer of a small file.
const mostRanges = 10

// partsOf gives the parts of a file that a request asks for, as they stand behind "bytes=";
// false for the whole file.
func partsOf(r *http.Request) (list string, some bool, err error) {
	unit, list, said := strings.Cut(r.Header.Get("Range"), "=")
	if r.Method != http.MethodGet || !said || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return "", false, nil // only GET has ranges, and other units are to be ignored (RFC 9110, 14.2)
	}
	if strings.Count(list, ",") >= mostRanges {
		return "", false, problem.New(problem.InvalidArgument, "Range: expected at most %d parts of the file", mostRanges).With("argument", "Range").
			WithHint("Ask for one part, or for the whole file.")
	}
	return list, true, nil
}

// rangesOf gives a Range header that asks http.ServeContent for these parts of a file of a
// size, as RFC 9110, 14.1.2, means them: each from one byte that the file has to another.
// ServeContent itself takes no number beyond an int64, and answers the last 0 bytes, and any
// of an empty file, with a Content-Range that is none. Parts that the file does not have are
// left out; where no other is left, or one is wrong, the header asks for what there is not.
func rangesOf(list string, size int64) string {
	nothing := "bytes=" + strconv.FormatInt(size, 10) + "-"
	var parts []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		from, to, cut := strings.Cut(part, "-")
		first, begins := position(from)
		last, ends := position(to)
		switch {
		case part == "":
			continue
		case !cut, from != "" && !begins, to != "" && !ends, !begins && !ends, begins && ends && last < first:
			return nothing
		case !begins:
			first, last = max(0, size-last), size-1
		case !ends:
			last = size - 1
		}
		if first < size {
			parts = append(parts, strconv.FormatInt(first, 10)+"-"+strconv.FormatInt(min(last, size-1), 10))
		}
	}
	if len(parts) == 0 {
		return nothing
	}
	return "bytes=" + strings.Join(parts, ",")
}

// position reads a number of any size; one that is too large is beyond every file.
func position(digits string) (n int64, ok bool) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ = strconv.ParseInt(digits, 10, 64) // which gives the largest for any beyond
	return n, true
}
