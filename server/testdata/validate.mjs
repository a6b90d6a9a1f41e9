// Says whether the file named is a valid OpenAPI document.
import { createRequire } from 'node:module';
const require = createRequire(new URL('../../bench/peers/', import.meta.url));
const parser = require('@apidevtools/swagger-parser');
const api = await parser.validate(process.argv[2]);
console.log(`valid: ${api.openapi}, ${Object.keys(api.paths).length} paths`);
