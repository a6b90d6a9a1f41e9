package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Media are images and sound that an answer carries as base64 beside a mime_type, or as a
// data: address. They are sent as content of their own kind, which a model sees and hears;
// as a string they would cost it a token for every few bytes and tell it nothing.
//
// Such an answer has no structured content: there are clients, Claude Code and Codex among
// them, that show a model nothing else of an answer that has it, and so no picture. A tool
// that may answer one has therefore no output schema, which would demand it.

// dataMembers are the names under which an object may carry bytes beside its mime_type.
var dataMembers = []string{"base64", "data"}

// maxMedia bounds how many pictures one answer is searched for, and mediaDepth how deep.
const (
	maxMedia   = 16
	mediaDepth = 4
)

// takeMedia takes media out of a result, wherever in its objects and lists they are.
func takeMedia(result json.RawMessage) (json.RawMessage, []sdk.Content) {
	if !bytes.Contains(result, []byte(`"mime_type"`)) && !bytes.Contains(result, []byte(`"data:`)) {
		return result, nil // most are not worth the reading
	}
	var media []sdk.Content
	rest := takeFrom(result, &media, mediaDepth)
	return rest, media
}

// takeFrom appends the media of a value to media, and gives what is left of the value.
func takeFrom(value json.RawMessage, media *[]sdk.Content, depth int) json.RawMessage {
	if len(*media) == maxMedia {
		return value
	}
	rest, one := takeOne(value)
	if one != nil {
		*media = append(*media, one)
		return rest
	}
	before := len(*media)
	var left any
	switch {
	case len(value) == 0 || depth == 0:
	case value[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return value
		}
		for i, item := range items {
			items[i] = takeFrom(item, media, depth-1)
		}
		left = items
	case value[0] == '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil {
			return value
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			members[name] = takeFrom(members[name], media, depth-1)
		}
		left = members
	}
	if len(*media) == before {
		return value
	}
	return json.RawMessage(marshal(left))
}

// takeOne takes the one picture or sound that a value is.
func takeOne(value json.RawMessage) (rest json.RawMessage, media sdk.Content) {
	if len(value) == 0 {
		return value, nil
	}
	switch value[0] {
	case '"':
		var text string
		if !strings.HasPrefix(string(value), `"data:`) || json.Unmarshal(value, &text) != nil {
			return value, nil
		}
		head, data, _ := strings.Cut(strings.TrimPrefix(text, "data:"), ",")
		mime, ok := strings.CutSuffix(head, ";base64")
		if media = mediaOf(mime, data); !ok || media == nil {
			return value, nil
		}
		return json.RawMessage(marshal("data:" + mime)), media
	case '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return value, nil
		}
		var mime, data string
		if json.Unmarshal(object["mime_type"], &mime) != nil {
			return value, nil
		}
		for _, name := range dataMembers {
			if json.Unmarshal(object[name], &data) != nil {
				continue
			}
			if media := mediaOf(mime, data); media != nil {
				delete(object, name)
				return json.RawMessage(marshal(object)), media
			}
		}
	}
	return value, nil
}

// mediaOf is content of the kind that a type says, or nil for other kinds and broken data.
func mediaOf(mime, data string) sdk.Content {
	image, sound := strings.HasPrefix(mime, "image/"), strings.HasPrefix(mime, "audio/")
	if !image && !sound || data == "" || len(mime) > 100 {
		return nil
	}
	content, err := base64.StdEncoding.DecodeString(data)
	switch {
	case err != nil:
		return nil
	case image:
		return &sdk.ImageContent{MIMEType: mime, Data: content}
	}
	return &sdk.AudioContent{MIMEType: mime, Data: content}
}

// carriesMedia tells whether an operation answers bytes beside a mime_type.
func carriesMedia(answer *jsonschema.Schema) bool {
	return answer.Properties["mime_type"] != nil &&
		slices.ContainsFunc(dataMembers, func(name string) bool { return answer.Properties[name] != nil })
}
