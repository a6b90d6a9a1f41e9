// Reads the form of the PDF that is given with pdf-lib and prints its values as JSON.
const { readFileSync } = require('node:fs');
const { PDFDocument, PDFTextField, PDFCheckBox, PDFRadioGroup, PDFDropdown, PDFOptionList } = require('pdf-lib');

(async () => {
  const form = (await PDFDocument.load(readFileSync(process.argv[2]))).getForm();
  const values = {};
  for (const field of form.getFields()) {
    if (field instanceof PDFTextField) values[field.getName()] = field.getText() ?? '';
    if (field instanceof PDFCheckBox) values[field.getName()] = field.isChecked();
    if (field instanceof PDFRadioGroup) values[field.getName()] = field.getSelected() ?? null;
    if (field instanceof PDFDropdown) values[field.getName()] = field.getSelected()[0] ?? null;
    if (field instanceof PDFOptionList) values[field.getName()] = field.getSelected();
  }
  console.log(JSON.stringify(values));
})();
