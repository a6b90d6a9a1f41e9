package plaintext

import "bytes"

// inlineImage goes to the end of an image in the content.
func (s *stream) inlineImage() {
	s.at = min(s.at+1+s.imageSize(), len(s.data)) // after ID there is a space
	for {
		i := bytes.Index(s.data[s.at:], []byte("EI"))
		if i < 0 {
			fail("an image without an end")
		}
		before, after := s.data[s.at+i-1], s.data[s.at+i+2:]
		s.at += i + 2
		isWord := len(after) == 0 || classes[after[0]] != regular
		isAlone := classes[before] == space && (len(after) == 0 || classes[after[0]] == space)
		switch likely := legible(after); {
		case isAlone && likely:
			return
		case isAlone || isWord && likely:
			fail("what may be the end of an image")
		}
	}
}

// imageSize reads the image's dictionary, and gives how many bytes it has at least: none if
// it is compressed.
func (s *stream) imageSize() int {
	var key string
	values := map[string]float64{"BPC": 1}
	colours, depth := 1.0, 0
	for {
		t := s.next()
		switch {
		case t.kind == end:
			fail("an image without an end")
		case t.kind == keyword && string(t.bytes) == "ID":
			if values["W"] < 0 || values["H"] < 0 || values["W"]*values["H"]*values["BPC"]*colours > float64(len(s.data))*8 {
				fail("an image's size")
			}
			return (int(values["W"]*values["BPC"]*colours) + 7) / 8 * int(values["H"])
		case t.kind == open || t.kind == openDict:
			depth++
		case t.kind == shut || t.kind == shutDict:
			depth--
		case depth > 0:
			continue
		case key == "" && t.kind == name:
			key = inlineKey(string(t.bytes))
			if key == "F" {
				colours = 0
			}
			continue
		case t.kind == number:
			values[key] = t.num
		case t.kind == name && key == "CS":
			switch string(t.bytes) {
			case "RGB", "DeviceRGB":
				colours *= 3
			case "CMYK", "DeviceCMYK":
				colours *= 4
			}
		}
		if depth == 0 {
			key = ""
		}
	}
}

// inlineKey gives the short form of a key.
func inlineKey(key string) string {
	switch key {
	case "Width":
		return "W"
	case "Height":
		return "H"
	case "BitsPerComponent":
		return "BPC"
	case "ColorSpace":
		return "CS"
	case "Filter":
		return "F"
	}
	return key
}

// legible tells whether what follows an image may be content.
func legible(rest []byte) bool {
	for _, c := range rest[:min(len(rest), 20)] {
		if c > '~' || c < ' ' && (c == 0 || classes[c] != space) {
			return false
		}
	}
	return true
}
