package pdf

import "github.com/sandboxd/sandboxd/op"

var getFormFieldsDoc = op.Doc{
	Summary: "List a PDF's form fields with their types, current values, and what can be chosen.",
	Details: "A field that is shown in several places is listed once. The list is empty where there is no form.",
	Examples: []op.Example{
		{Title: "Names, types and values", Code: `const fields = await files.pdf.getFormFields("form.pdf");
return fields.map(f => f.name + " (" + f.type + "): " + f.value);`},
		{Title: "What is required and still empty", Code: `const fields = await files.pdf.getFormFields("form.pdf");
return fields.filter(f => f.required && !f.value).map(f => f.name);`},
	},
	Cost: op.CostParse, ReadOnly: true, Idempotent: true,
}

var fillFormDoc = op.Doc{
	Summary: "Fill form fields of a PDF by name; makes a new version of the file.",
	Details: "All values are checked before any is set; an error names the fields or the options that there are. The fields are drawn anew, so that every viewer shows the values. With flatten, they become part of the page. A digital signature on the file becomes invalid.",
	Examples: []op.Example{
		{Title: "Text, checkbox, date", Code: `await files.pdf.fillForm("form.pdf", { "Name": "Ada Lovelace", "Subscribe": true, "Date": "2024-12-31" });`},
		{Title: "And nobody can change it any more", Code: `await files.pdf.fillForm("form.pdf", { "Total": "1,200.00" }, { flatten: true });`},
	},
	Cost: op.CostWrite, Idempotent: true,
}
