// Change a configuration file by lines. The file as it was stays there as version 1.
const { matches: [minutes] } = await files.searchText('config.yaml', '^  minutes:');
await files.replaceLines('config.yaml', minutes.line, minutes.line, '  minutes: 20');
const { matches: [alarms] } = await files.searchText('config.yaml', '^alarms:');
await files.insertLines('config.yaml', alarms.line, '  - soil_moisture < 15');
return { versions: (await files.versions('config.yaml')).length };
