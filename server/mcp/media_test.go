package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTakeMedia(t *testing.T) {
	const data = "aGVsbG8="
	for name, c := range map[string]struct {
		result, rest string
		kinds        string
	}{
		"an image":               {`{"mime_type":"image/png","base64":"` + data + `","width":2}`, `{"mime_type":"image/png","width":2}`, "i"},
		"by its other name":      {`{"data":"` + data + `","mime_type":"image/webp"}`, `{"mime_type":"image/webp"}`, "i"},
		"sound":                  {`{"mime_type":"audio/wav","base64":"` + data + `"}`, `{"mime_type":"audio/wav"}`, "a"},
		"a data address":         {`"data:image/png;base64,` + data + `"`, `"data:image/png"`, "i"},
		"a list":                 {`[{"mime_type":"image/png","base64":"` + data + `"},7,"data:image/gif;base64,` + data + `"]`, `[{"mime_type":"image/png"},7,"data:image/gif"]`, "ii"},
		"deep in an object":      {`{"page":1,"seen":{"at":[{"mime_type":"image/png","base64":"` + data + `"}],"b":"data:image/png;base64,` + data + `"}}`, `{"page":1,"seen":{"at":[{"mime_type":"image/png"}],"b":"data:image/png"}}`, "ii"},
		"deeper than one looks":  {`[[[[[{"mime_type":"image/png","base64":"` + data + `"}]]]]]`, "", ""},
		"more than one looks at": {"[" + strings.Repeat(`"data:image/png;base64,`+data+`",`, 17) + "0]", "[" + strings.Repeat(`"data:image/png",`, 16) + `"data:image/png;base64,` + data + `",0]`, strings.Repeat("i", 16)},
		"another type":           {`{"mime_type":"text/plain","base64":"` + data + `"}`, "", ""},
		"broken data":            {`{"mime_type":"image/png","base64":"%%%"}`, "", ""},
		"no data":                {`{"mime_type":"image/png","name":"a.png"}`, "", ""},
		"not a string":           {`{"mime_type":7,"base64":"` + data + `"}`, "", ""},
		"an address":             {`"data:image/png,raw"`, "", ""},
		"null":                   {`null`, "", ""},
		"nothing":                {``, "", ""},
	} {
		rest, media := takeMedia(json.RawMessage(c.result))
		if c.kinds == "" {
			c.rest = c.result
		}
		kinds := ""
		for _, m := range media {
			switch m := m.(type) {
			case *sdk.ImageContent:
				kinds += "i"
				if string(m.Data) != "hello" {
					t.Errorf("%s: the image is %q", name, m.Data)
				}
			case *sdk.AudioContent:
				kinds += "a"
			}
		}
		if string(rest) != c.rest || kinds != c.kinds {
			t.Errorf("%s: left %s, took %q", name, rest, kinds)
		}
	}
}
