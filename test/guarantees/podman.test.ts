/** Tests of the guarantees on the route of podman: one engine for the cells of all guarantees. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { selectRoutes } from './guarantee.ts';

const FILES = globSync('[a-f][0-9]*-*.test.ts', { cwd: import.meta.dirname }).toSorted();

selectRoutes(['run/podman']);
// Each file declares its tests when it is imported.
describeWithEngine('podman', 'guarantees in podman', async () => {
  for (const file of FILES) await import(pathToFileURL(join(import.meta.dirname, file)).href);
});
