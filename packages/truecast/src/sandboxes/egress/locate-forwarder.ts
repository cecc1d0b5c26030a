/** Location of the forwarder's file, in the source tree and in the published build. */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

/**
 * In the source tree the forwarder is next to this file. In the build, this file is part of an
 * entry or a chunk, at the root or one folder below.
 */
const PLACES = ['./forwarder.ts', './forwarder.mjs', '../forwarder.mjs', './forwarder.js', '../forwarder.js'];

/**
 * Returns the path of the forwarder program.
 *
 * @throws SandboxError `start` if this build does not contain it
 */
export function locateForwarder(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return realpathSync(found);
  throw new SandboxError(
    "This build of truecast lacks `forwarder.mjs`, so `egress: 'model'` cannot work. Install truecast again.",
    {
      code: 'start',
    },
  );
}
