// Turn a JSON audit of dependencies into a Markdown report that people can read.
const audit = JSON.parse((await files.readText('audit.json')).content);
const rank = { high: 0, moderate: 1, low: 2 };
const findings = audit.dependencies
  .flatMap(dep => dep.advisories.map(advisory => ({ ...advisory, dep })))
  .sort((a, b) => rank[a.severity] - rank[b.severity] || a.id.localeCompare(b.id));

let text = `# Dependency audit of ${audit.project}\n\n`;
text += `Scanned ${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(audit.scanned))}. `;
text += `${audit.dependencies.length} dependencies, ${findings.length} findings.\n\n`;
for (const [severity, list] of Object.entries(Object.groupBy(findings, finding => finding.severity))) {
  text += `## ${severity[0].toUpperCase()}${severity.slice(1)}\n\n`;
  for (const { id, title, fixed_in, dep } of list) {
    text += `- **${dep.name} ${dep.version}**: ${title} (${id}), fixed in ${fixed_in}\n`;
  }
  text += '\n';
}
text += '## Licences\n\n| licence | dependencies |\n|---|---|\n';
for (const [licence, deps] of Object.entries(Object.groupBy(audit.dependencies, dep => dep.license)).sort()) {
  text += `| ${licence} | ${deps.map(dep => dep.name).join(', ')} |\n`;
}
const report = await files.create('audit.md', 'text/markdown', { content: text });
return { report: report.name, findings: findings.length, high: findings.filter(f => f.severity === 'high').length };
