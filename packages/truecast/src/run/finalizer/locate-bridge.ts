/** Location of the bridge's file, in the source tree and in the published build. */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

/**
 * In the source tree the bridge is next to this file. In the build, this file is part of an entry
 * or a chunk, at the root or one folder below.
 */
const PLACES = ['./bridge.ts', './bridge.mjs', '../bridge.mjs', './bridge.js', '../bridge.js'];

/**
 * Returns the path of the bridge program.
 *
 * @throws SandboxError `start` if this build does not contain it
 */
export function locateBridge(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return realpathSync(found);
  throw new SandboxError(
    "This build of truecast lacks `bridge.mjs`, so `mode: 'mcp'` cannot work. Install truecast again.",
    { code: 'start' },
  );
}
