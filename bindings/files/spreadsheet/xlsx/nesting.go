package xlsx

import "strings"

// nesting is which functions a place of a formula is in. Places are asked for from left to
// right: to look back from each took 6 s for a thousand formulas of a thousand ranges each.
type nesting struct {
	text string
	next int // what is looked at next
	open []opened
}

// opened is a function whose arguments have begun, or parentheses or braces alone.
type opened struct {
	function string // in upper case; that around, or "", for parentheses alone
	alone    bool
	argument int  // which one it is, from 0 on
	read     bool // the functions around it surely read it
	whole    bool // one around it takes ranges as a whole
}

// at gives what a place is in.
func (n *nesting) at(place int) opened {
	for n.next < place {
		switch n.text[n.next] {
		case '"', '\'':
			n.next = quoteEnd(n.text, n.next, n.text[n.next])
			continue
		case '[':
			n.next = bracketEnd(n.text, n.next)
			continue
		case ',':
			if k := len(n.open); k > 0 {
				n.open[k-1].argument++
			}
		case '(', '{':
			n.open = append(n.open, n.begin())
		case ')', '}':
			n.open = n.open[:max(0, len(n.open)-1)]
		}
		n.next++
	}
	return n.inmost()
}

func (n *nesting) inmost() opened {
	if k := len(n.open); k > 0 {
		return n.open[k-1]
	}
	return opened{alone: true, read: true}
}

// begin reads what begins with the parenthesis that is next.
func (n *nesting) begin() opened {
	around := n.inmost()
	o := opened{function: around.function, alone: true, read: around.surelyReads(), whole: around.takesWhole()}
	from := n.next
	for from > 0 && isNameByte(n.text[from-1]) {
		from--
	}
	if from < n.next {
		name := strings.ToUpper(n.text[from:n.next])
		o.function, o.alone = strings.TrimPrefix(strings.TrimPrefix(name, "_XLFN."), "_XLWS."), false
	}
	return o
}

// Functions that read only their first argument for sure, all but their first, or none.
var (
	firstAlone  = setOf(`IF IFS IFERROR IFNA CHOOSE SWITCH`)
	allButFirst = setOf(`INDEX OFFSET`)
	noneForSure = setOf(`LET LAMBDA ROW ROWS COLUMN COLUMNS AREAS SHEET SHEETS CELL ISREF ISFORMULA FORMULATEXT`)
)

// surelyReads tells whether all functions read what is here.
func (o opened) surelyReads() bool {
	skips := firstAlone[o.function] && o.argument > 0 || allButFirst[o.function] && o.argument == 0 || noneForSure[o.function]
	return o.read && (o.alone || !skips)
}

// takesWhole tells whether one of the functions takes ranges as a whole.
func (o opened) takesWhole() bool {
	return o.whole || !o.alone && !ofOneValue[o.function] && o.function != "IF" && o.function != "IFERROR"
}
