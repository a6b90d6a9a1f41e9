package image_test

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/problem"
)

// What sharp and canvases call things is understood, in any case.
func TestOtherLibrariesWordsAreUnderstood(t *testing.T) {
	r := withBuiltin(t)
	r.host.Add(t, "a.png", aPNG(t, scene(40, 30)))
	r.host.Add(t, "b.png", aPNG(t, scene(10, 10)))
	base := r.do("composite", "a.png", []o{{"fileId": "b.png", "position": "bottom-right"}}, o{"as": "1.png"})
	for i, overlay := range []o{
		{"input": "b.png", "gravity": "southeast"}, {"image": "b.png", "gravity": "SouthEast"}, {"fileId": "b.png", "position": "right bottom"},
		{"fileId": "b.png", "x": 30, "y": 20}, {"fileId": "b.png", "position": "Bottom_Right"},
		{"file": "b.png", "x": 30, "y": 20, "blend": "normal"}, {"src": "b.png", "x": 30, "y": 20, "blendMode": "over"},
	} {
		other := r.do("composite", "a.png", []o{overlay}, o{"as": string(rune('a'+i)) + "2.png"})
		if same := r.do("compare", base["id"], other["id"]); same["equal"] != true {
			t.Errorf("%v lies elsewhere: %v", overlay, same)
		}
	}
	if out := r.do("crop", "a.png", o{"x": 1, "y": 2, "width": 3, "height": 4}, o{"as": "c.png"}); out["width"] != 3.0 {
		t.Errorf("%v", out)
	}
	if out := r.do("resize", "a.png", 8, 8, o{"fit": "COVER", "position": "centre", "as": "s.png"}); out["width"] != 8.0 {
		t.Errorf("%v", out)
	}
	for _, format := range []string{"JPG", "image/jpeg", "jpeg"} {
		if out := r.do("convert", "a.png", format, o{"as": strings.ReplaceAll(format, "/", "-") + ".jpg"}); out["format"] != "jpeg" {
			t.Errorf("%s: %v", format, out)
		}
	}
	if out := r.do("drawText", "a.png", []o{{"text": "x", "x": 1, "y": 1, "fontSize": 10, "fill": "red", "align": "middle"}}, o{"as": "t.png"}); out["width"] != 40.0 {
		t.Errorf("%v", out)
	}
	if out := r.do("drawRect", "a.png", []o{{"x": 1, "y": 1, "width": 9, "height": 9, "stroke": "red", "strokeWidth": 2}}, o{"as": "rect.png"}); out["width"] != 40.0 {
		t.Errorf("%v", out)
	}
	for _, kernel := range []string{"Lanczos", "bicubic", "BILINEAR"} {
		if out := r.do("resize", "a.png", 8, nil, o{"kernel": kernel, "as": kernel + ".png"}); out["width"] != 8.0 {
			t.Errorf("%s: %v", kernel, out)
		}
	}
}

// withFonts is a run that has the fonts of this machine.
func withFonts(t *testing.T) *run {
	r := withBuiltin(t)
	r.env.Engines = engine.NewSet([]engine.Engine{fonts.Engine()}, enginetest.Places(t))
	if _, err := engine.Of[*fonts.Set](r.env.Engines, fonts.Name); err != nil {
		t.Skip("there are no fonts: make engines")
	}
	return r
}

// Letters of some scripts were drawn one by one from the left, where nobody can read them,
// and what lay off the picture was drawn nowhere.
func TestTextIsReadableOrRefused(t *testing.T) {
	r := withFonts(t)
	r.host.Add(t, "a.png", aPNG(t, scene(400, 100)))
	for _, text := range []string{"مرحبا", "a שלום", "नमस्ते"} {
		if e := r.fails(problem.InvalidArgument, "drawText", "a.png", []o{{"text": text, "left": 5, "top": 5}}); !strings.Contains(e.Hint, "renderPage") {
			t.Errorf("%s: %s, %s", text, e.Message, e.Hint)
		}
	}
	if e := r.fails(problem.InvalidArgument, "drawText", "a.png", []o{{"text": "a 𒀀", "left": 5, "top": 5}}); !strings.Contains(e.Message, "𒀀") {
		t.Error(e)
	}
	for _, at := range [][2]int{{400, 5}, {5, 100}, {-300, 5}, {5, -100}} {
		e := r.fails(problem.InvalidArgument, "drawText", "a.png", []o{{"text": "hello", "left": at[0], "top": at[1]}})
		if !strings.Contains(e.Message, "off the picture") || !strings.Contains(e.Hint, "400 × 100") {
			t.Errorf("%v: %s, %s", at, e.Message, e.Hint)
		}
	}
	plain := r.do("drawText", "a.png", []o{{"text": "♥ 中文 ok", "left": 5, "top": 5}}, o{"as": "1.png"})
	marked := r.do("drawText", "a.png", []o{{"text": "♥\ufe0f 中\u200d文 o\u00adk", "left": 5, "top": 5}}, o{"as": "2.png"})
	if same := r.do("compare", plain["id"], marked["id"]); same["equal"] != true {
		t.Errorf("characters that are not seen are drawn: %v", same)
	}
}

// Colours are those of CSS, as people write them there.
func TestColoursOfCSS(t *testing.T) {
	r := withBuiltin(t)
	r.host.Add(t, "a.png", aPNG(t, scene(4, 4)))
	pad := func(colour, as string) error {
		_, err := r.js("pad", "a.png", o{"all": 2}, o{"background": colour, "as": as})
		return err
	}
	if err := pad("#FF800080", "want.png"); err != nil {
		t.Fatal(err)
	}
	for i, colour := range []string{"rgba(255, 128, 0, 0.5)", "rgb(255 128 0 / 50%)", "RGBA(100%,50%,0%,.5)", "#ff800080"} {
		name := string(rune('a'+i)) + "3.png"
		if err := pad(colour, name); err != nil {
			t.Errorf("%s: %v", colour, err)
		} else if same := r.do("compare", "want.png", name); same["equal"] != true {
			t.Errorf("%s: %v", colour, same)
		}
	}
	for _, colour := range []string{"rgb(1,2)", "rgb(256,0,0)", "rgb(-1,0,0)", "rgba(0,0,0,2)", "rgb(nan,0,0)", "rgb(1,2,3", "rgb(a,b,c)", "#12345", "hsl(1,2%,3%)"} {
		if err := pad(colour, "x.png"); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%s: %v", colour, err)
		}
	}
}
