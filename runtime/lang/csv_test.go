package lang_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseCSV(t *testing.T) {
	cases(t, `
JSON.stringify(parseCSV("a,b\n1,2\n3,4\n")) → [{"a":"1","b":"2"},{"a":"3","b":"4"}]
JSON.stringify(parseCSV("a,b\r\n1,2\r\n")) → [{"a":"1","b":"2"}]
JSON.stringify(parseCSV("a,b\r1,2\r3,4")) → [{"a":"1","b":"2"},{"a":"3","b":"4"}]
JSON.stringify(parseCSV("\ufeffa\nx")) → [{"a":"x"}]
JSON.stringify(parseCSV("a;b\n1,5;2")) → [{"a":"1,5","b":"2"}]
JSON.stringify(parseCSV("a\tb\n1\t2")) → [{"a":"1","b":"2"}]
JSON.stringify(parseCSV("a|b\n1|2")) → [{"a":"1","b":"2"}]
JSON.stringify(parseCSV('a,b\n"x, ""y""\nz",2', { header: false })) → [["a","b"],["x, \"y\"\nz","2"]]
JSON.stringify(parseCSV("a,b\n1\n1,2,3")) → [{"a":"1","b":""},{"a":"1","b":"2","column_3":"3"}]
JSON.stringify(parseCSV("a,,a\n1,2,3")) → [{"a":"1","column_2":"2","a_2":"3"}]
JSON.stringify(parseCSV("x,y\n1,2", { header: ["p", "q"] })) → [{"p":"x","q":"y"},{"p":"1","q":"2"}]
JSON.stringify(parseCSV("a\n\n1\n\n", { skipEmpty: false })) → [{"a":""},{"a":"1"},{"a":""}]
JSON.stringify(parseCSV("a\n\n1\n\n")) → [{"a":"1"}]
JSON.stringify(parseCSV("a,b\n 1 , x ", { trim: true })) → [{"a":"1","b":"x"}]
JSON.stringify(parseCSV("a,b\n 1 , x ")) → [{"a":" 1 ","b":" x "}]
JSON.stringify(parseCSV('n,i,f,b,e,s,q,z,big,plus\n-1,10,1.50,true,,x,"1",007,12345678901234567890,+49', { types: true })) → [{"n":-1,"i":10,"f":1.5,"b":true,"e":null,"s":"x","q":"1","z":"007","big":"12345678901234567890","plus":"+49"}]
JSON.stringify(parseCSV("a\n1.2.3\n1.\n-0\n1e5", { types: true }).map(r => r.a)) → ["1.2.3","1.","-0","1e5"]
JSON.stringify(parseCSV("")) → []
JSON.stringify(parseCSV("a,b")) → []
JSON.stringify(parseCSV("a\n1\n2\n3", { limit: 2 })) → [{"a":"1"},{"a":"2"}]
JSON.stringify(parseCSV("a,b\n'x,y',2", { quote: "'" })) → [{"a":"x,y","b":"2"}]
JSON.stringify(parseCSV('a,b\n5" pipe,2')) → [{"a":"5\" pipe","b":"2"}]
JSON.stringify(parseCSV('a b\n"x"y', { delimiter: " " })) → [{"a":"xy","b":""}]
JSON.stringify(Object.keys(parseCSV("__proto__,a\n1,2")[0])) → ["__proto__","a"]
(() => { Object.defineProperty(Object.prototype, "a", { set() { throw new Error("seen") } }); return JSON.stringify(parseCSV("a\n1")) })() → [{"a":"1"}]
parseCSV('a\n"x') → Error: parseCSV: the quoted cell that begins in line 2 never ends
parseCSV(5) → Error: parseCSV: text must be a string, but 5 came
parseCSV(Promise.resolve("")) → Error: parseCSV: text must be a string, but #<Promise> came; await it first
parseCSV("", { seperator: ";" }) → Error: parseCSV: there is no option "seperator"; the options are delimiter, header, quote, trim, skipEmpty, types, limit
parseCSV("", { delimiter: "ab" }) → Error: parseCSV: options.delimiter must be one character, but "ab" came
parseCSV("", { types: 1 }) → Error: parseCSV: options.types must be true or false, but 1 came
(() => { try { parseCSV(5) } catch (e) { return e.code } })() → invalid_argument
JSON.stringify(parseCSV("Müller,日本\né,😀")) → [{"Müller":"é","日本":"😀"}]
parseCSV("name,age\nAnn,30").map(r => r.name) → Ann
`)
}

func TestToCSV(t *testing.T) {
	cases(t, `
JSON.stringify(toCSV([{ a: 1, b: "x" }, { b: 2, c: null }])) → "a,b,c\n1,x,\n,2,\n"
JSON.stringify(toCSV([["a", "b"], [1, true]])) → "a,b\n1,true\n"
JSON.stringify(toCSV([['q"', "a,b", "l\nm", " s"]])) → "\"q\"\"\",\"a,b\",\"l\nm\",\" s\"\n"
escape(toCSV([{ a: 1 }], { delimiter: ";", newline: "\r\n", bom: true })) → %uFEFFa%0D%0A1%0D%0A
JSON.stringify(toCSV([{ a: 1, b: 2 }], { columns: ["b"], header: false })) → "2\n"
JSON.stringify(toCSV([{ a: 1, b: "x" }], { quoteAll: true })) → "\"a\",\"b\"\n\"1\",\"x\"\n"
JSON.stringify(toCSV([["=1+1", "+x", "-x", "@x", -5]], { safe: true })) → "'=1+1,'+x,'-x,'@x,-5\n"
JSON.stringify(toCSV([["=1+1"]])) → "=1+1\n"
JSON.stringify(toCSV([[""], []])) → "\"\"\n\n"
JSON.stringify(toCSV([])) → ""
JSON.stringify(toCSV([[new Date(0), { a: 1 }, [1, 2], undefined, 1n, NaN]])) → "1970-01-01T00:00:00.000Z,\"{\"\"a\"\":1}\",\"[1,2]\",,1,NaN\n"
toCSV("x") → Error: toCSV: rows must be an array of objects or of arrays, but "x" came
toCSV([1]) → Error: toCSV: row 1 must be an object or an array, but 1 came
toCSV([], { sep: 1 }) → Error: toCSV: there is no option "sep"; the options are delimiter, newline, bom, header, columns, quoteAll, safe
(rows => JSON.stringify(parseCSV(toCSV(rows))) === JSON.stringify(rows))([{ a: 'x"\n', b: ";,|" }, { a: "", b: "é" }]) → true
`)
}

// The text is what a spreadsheet of 100,000 rows and 10 columns exports.
func bigCSV(rows int) string {
	var text strings.Builder
	text.WriteString("id,name,city,amount,active,date,code,note,ratio,count\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,Customer %d,Berlin,%d.50,true,2024-01-%02d,A%05d,\"some, note\",0.%d,%d\n", i, i, i%1000, i%28+1, i, i%100, i%7)
	}
	return text.String()
}

func BenchmarkParseCSV(b *testing.B) {
	text := bigCSV(100_000)
	for _, options := range []string{"{}", "{ types: true }", "{ header: false }"} {
		b.Run(options, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				vm := fresh()
				vm.Set("text", text)
				if v, err := vm.RunString("parseCSV(text, " + options + ").length"); err != nil || v.ToInteger() < 100_000 {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func BenchmarkToCSV(b *testing.B) {
	vm := fresh()
	vm.Set("text", bigCSV(100_000))
	if _, err := vm.RunString("var rows = parseCSV(text)"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := vm.RunString("toCSV(rows)"); err != nil {
			b.Fatal(err)
		}
	}
}
