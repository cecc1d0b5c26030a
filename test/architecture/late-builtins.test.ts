/**
 * Modules of HTTP and TLS that each program would load at its start. An import reads all of their members, also Node's
 * fetch and the certificates: 45 ms of processor time. `process.getBuiltinModule` reads them at their first use.
 */
import { expect, it } from 'vitest';
import { readSource, sourceFiles } from './source-tree.ts';

const IMPORT = /^import (?!type\b)[^;]*? from 'node:(?:https?|http2|tls)';/gmu;

it('imports no module of HTTP and TLS but its types', () => {
  const importing = sourceFiles()
    .filter((path) => !path.includes('/test-'))
    .filter((path) => readSource(path).match(IMPORT) !== null);
  expect(importing).toEqual([]);
  expect("import { createServer, type Server } from 'node:http';".match(IMPORT)).toHaveLength(1);
  expect("import type { Server } from 'node:http';".match(IMPORT)).toBeNull();
});
