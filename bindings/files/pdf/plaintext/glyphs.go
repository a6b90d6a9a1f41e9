package plaintext

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// runeOf gives the character that a glyph's name stands for in the Adobe Glyph List, as far
// as it is here: the Latin alphabets with their accents, Greek, punctuation, and names that
// are numbers. Others are unknown.
func runeOf(name Name) rune {
	if r, ok := glyphNames()[name]; ok {
		return r
	}
	if digits, ok := strings.CutPrefix(string(name), "uni"); ok && len(digits) == 4 {
		return hexRune(digits)
	}
	if digits, ok := strings.CutPrefix(string(name), "u"); ok && len(digits) >= 4 && len(digits) <= 6 {
		return hexRune(digits)
	}
	if len(name) > 2 && !strings.Contains(noNames, " "+string(name)+" ") { // a letter and its accent
		if mark, ok := accents[string(name[1:])]; ok {
			r, size := utf8.DecodeRuneInString(norm.NFC.String(string(name[:1]) + string(mark)))
			if size > 1 && r != utf8.RuneError {
				return r
			}
		}
	}
	return unknown
}

func hexRune(digits string) rune {
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > utf8.MaxRune || strings.ToUpper(digits) != digits {
		return unknown
	}
	return rune(v)
}

// noNames are those of letters with accents that are not in the list, or mean others there.
const noNames = " Adotaccent adotaccent Ccommaaccent ccommaaccent Dcommaaccent dcommaaccent Ecedilla ecedilla Ecommaaccent ecommaaccent" +
	" Hcaron hcaron Hcommaaccent hcommaaccent Ngrave ngrave Odotaccent odotaccent Scommaaccent scommaaccent Ymacron ymacron "

var accents = map[string]rune{
	"grave": 0x300, "acute": 0x301, "circumflex": 0x302, "tilde": 0x303, "macron": 0x304, "breve": 0x306, "dotaccent": 0x307,
	"dieresis": 0x308, "ring": 0x30A, "hungarumlaut": 0x30B, "caron": 0x30C, "ogonek": 0x328, "cedilla": 0x327, "commaaccent": 0x327,
}

// glyphNames are the names that are not made up of others.
var glyphNames = sync.OnceValue(func() map[Name]rune {
	all := map[Name]rune{}
	for c := 'A'; c <= 'Z'; c++ {
		all[Name(c)], all[Name(c+'a'-'A')] = c, c+'a'-'A'
	}
	fields := strings.Fields(namesByCharacter)
	for i := 0; i+1 < len(fields); i += 2 {
		r, _ := utf8.DecodeRuneInString(fields[i])
		all[Name(fields[i+1])] = r
	}
	all["space"], all["nbspace"], all["nonbreakingspace"] = ' ', 0xA0, 0xA0
	all["softhyphen"], all["sfthyphen"] = 0xAD, 0xAD
	return all
})

const namesByCharacter = `
! exclam " quotedbl # numbersign $ dollar % percent & ampersand ' quotesingle ( parenleft ) parenright * asterisk + plus
, comma - hyphen . period / slash 0 zero 1 one 2 two 3 three 4 four 5 five 6 six 7 seven 8 eight 9 nine : colon ; semicolon
< less = equal > greater ? question @ at [ bracketleft \ backslash ] bracketright ^ asciicircum _ underscore ` + "` grave" + `
{ braceleft | bar } braceright ~ asciitilde ¡ exclamdown ¢ cent £ sterling ¤ currency ¥ yen ¦ brokenbar § section
¨ dieresis © copyright ª ordfeminine « guillemotleft ¬ logicalnot ® registered ¯ macron ° degree ± plusminus
² twosuperior ³ threesuperior ´ acute µ mu ¶ paragraph · periodcentered ¸ cedilla ¹ onesuperior º ordmasculine
» guillemotright ¼ onequarter ½ onehalf ¾ threequarters ¿ questiondown Æ AE æ ae Ð Eth ð eth Þ Thorn þ thorn
ß germandbls × multiply ÷ divide Ø Oslash ø oslash Đ Dcroat đ dcroat ı dotlessi ĸ kgreenlandic Ł Lslash ł lslash
Ŋ Eng ŋ eng Œ OE œ oe Ŧ Tbar ŧ tbar Ħ Hbar ħ hbar ĳ ij Ĳ IJ ƒ florin
ˆ circumflex ˇ caron ˘ breve ˙ dotaccent ˚ ring ˛ ogonek ˜ tilde ˝ hungarumlaut – endash — emdash ‘ quoteleft
’ quoteright ‚ quotesinglbase “ quotedblleft ” quotedblright „ quotedblbase † dagger ‡ daggerdbl • bullet … ellipsis
‰ perthousand ‹ guilsinglleft › guilsinglright ⁄ fraction € Euro ™ trademark ℮ estimated
Α Alpha Β Beta Γ Gamma Ε Epsilon Ζ Zeta Η Eta Θ Theta Ι Iota Κ Kappa Λ Lambda Μ Mu Ν Nu Ξ Xi Ο Omicron Π Pi Ρ Rho
Σ Sigma Τ Tau Υ Upsilon Φ Phi Χ Chi Ψ Psi α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa
λ lambda ν nu ξ xi ο omicron π pi ρ rho ς sigma1 σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega
∂ partialdiff ∏ product ∑ summation − minus √ radical ∞ infinity ∫ integral ≈ approxequal ≠ notequal ≤ lessequal
≥ greaterequal ◊ lozenge ﬀ ff ﬁ fi ﬂ fl ﬃ ffi ﬄ ffl`
