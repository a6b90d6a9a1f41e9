package lang

import (
	"fmt"
	"strings"
	"unicode"
)

// propertyRunes gives the code points of what stands between the braces of \p{…}:
// a general category, Script=…, or a binary property.
func propertyRunes(expression string) (runes, error) {
	name, value, isPair := strings.Cut(expression, "=")
	if isPair {
		switch name {
		case "General_Category", "gc":
			if set := categoryRunes(value); set != nil {
				return set, nil
			}
		case "Script", "sc":
			if set := scriptRunes(value); set != nil {
				return set, nil
			}
		case "Script_Extensions", "scx":
			// Common and Inherited lose what is shared between scripts; no table says which.
			if set := scriptRunes(value); set != nil && scriptAliases[value] != "Common" && scriptAliases[value] != "Inherited" && value != "Common" && value != "Inherited" {
				return set.union(scriptExtensions(value)), nil
			}
		}
		return nil, fmt.Errorf("Invalid property name {%s}", expression)
	}
	if set := categoryRunes(name); set != nil {
		return set, nil
	}
	if set := binaryRunes(name); set != nil {
		return set, nil
	}
	return nil, fmt.Errorf("Invalid property name {%s} (not a Unicode property, or one that this sandbox lacks)", expression)
}

func categoryRunes(name string) runes {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	if name == "C" { // Go leaves the unassigned ones out
		return tableRunes(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).negated()
	}
	if table, ok := unicode.Categories[name]; ok {
		return tableRunes(table)
	}
	return nil
}

func scriptRunes(name string) runes {
	if long, ok := scriptAliases[name]; ok {
		name = long
	}
	if table, ok := unicode.Scripts[name]; ok {
		return tableRunes(table)
	}
	return nil
}

// binaryRunes knows the binary properties that Go's tables give, and emoji.
func binaryRunes(name string) runes {
	p := unicode.Properties
	switch name {
	case "Any":
		return runes{{0, unicode.MaxRune}}
	case "ASCII":
		return runes{{0, 0x7F}}
	case "Assigned":
		return categoryRunes("Cn").negated()
	case "Alphabetic", "Alpha":
		return tableRunes(unicode.L, unicode.Nl, p["Other_Alphabetic"])
	case "Lowercase", "Lower":
		return tableRunes(unicode.Ll, p["Other_Lowercase"])
	case "Uppercase", "Upper":
		return tableRunes(unicode.Lu, p["Other_Uppercase"])
	case "Math":
		return tableRunes(unicode.Sm, p["Other_Math"])
	case "ID_Start", "IDS", "XID_Start", "XIDS":
		return identifierRunes(unicode.L, unicode.Nl, p["Other_ID_Start"])
	case "ID_Continue", "IDC", "XID_Continue", "XIDC":
		return identifierRunes(unicode.L, unicode.Nl, p["Other_ID_Start"], unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, p["Other_ID_Continue"])
	case "Emoji", "Emoji_Presentation", "Emoji_Modifier", "Emoji_Modifier_Base", "Emoji_Component", "Extended_Pictographic":
		return emojiRunes(name)
	case "EPres":
		return emojiRunes("Emoji_Presentation")
	case "EMod":
		return emojiRunes("Emoji_Modifier")
	case "EBase":
		return emojiRunes("Emoji_Modifier_Base")
	case "EComp":
		return emojiRunes("Emoji_Component")
	case "ExtPict":
		return emojiRunes("Extended_Pictographic")
	}
	if long, ok := propertyAliases[name]; ok {
		name = long
	}
	if strings.HasPrefix(name, "Other_") || strings.HasPrefix(name, "Prepended_") {
		return nil // of Unicode, but not of JavaScript
	}
	if table, ok := p[name]; ok {
		return tableRunes(table)
	}
	return nil
}

// identifierRunes leaves pattern syntax out, as UAX #31 does.
func identifierRunes(tables ...*unicode.RangeTable) runes {
	p := unicode.Properties
	return tableRunes(tables...).difference(tableRunes(p["Pattern_Syntax"], p["Pattern_White_Space"]))
}

var propertyAliases = map[string]string{
	"AHex": "ASCII_Hex_Digit", "Bidi_C": "Bidi_Control", "Dep": "Deprecated", "Dia": "Diacritic",
	"Ext": "Extender", "Hex": "Hex_Digit", "IDSB": "IDS_Binary_Operator", "IDST": "IDS_Trinary_Operator",
	"Ideo": "Ideographic", "Join_C": "Join_Control", "LOE": "Logical_Order_Exception",
	"NChar": "Noncharacter_Code_Point", "Pat_Syn": "Pattern_Syntax", "Pat_WS": "Pattern_White_Space",
	"QMark": "Quotation_Mark", "RI": "Regional_Indicator", "STerm": "Sentence_Terminal",
	"SD": "Soft_Dotted", "Term": "Terminal_Punctuation", "UIdeo": "Unified_Ideograph",
	"VS": "Variation_Selector", "space": "White_Space",
}
