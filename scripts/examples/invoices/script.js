// Make an invoice as a PDF for each order of a table, put them into one file, and mark the one that is paid.
const { content } = await files.readText('orders.csv');
const [head, ...rows] = content.trim().split('\n').map(line => line.split(','));
const orders = Object.groupBy(rows.map(row => Object.fromEntries(row.map((value, i) => [head[i], value]))), line => line.order);

const names = [];
for (const [order, lines] of Object.entries(orders)) {
  const total = lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
  const table = lines.map(line => `| ${line.item} | ${line.quantity} | ${line.price} | ${(line.quantity * line.price).toFixed(2)} |`);
  const { name } = await files.pdf.create(`invoice-${order}.pdf`, {
    markdown: `# Invoice ${order}\n\nTo **${lines[0].customer}**\n\n| Item | Quantity | Price | Sum |\n|---|---:|---:|---:|\n${table.join('\n')}\n\nPlease pay **${total.toFixed(2)} €** within 14 days.`,
    size: 'A5', pageNumbers: false, footer: 'Analytical Engines Ltd.',
  });
  names.push(name);
}
await files.pdf.addText('invoice-1002.pdf', 1, 'PAID', { x: 280, y: 480 }, { size: 32, bold: true, color: 'red', rotate: 15 });
const { pageCount, parts } = await files.pdf.merge(names, 'invoices.pdf');
await files.pdf.setMetadata('invoices.pdf', { title: 'Invoices', author: 'Analytical Engines Ltd.' });
const { pages } = await files.pdf.extractText('invoices.pdf');
return { pageCount, parts, texts: pages.map(page => page.text.split('\n').map(line => line.trim())) };
