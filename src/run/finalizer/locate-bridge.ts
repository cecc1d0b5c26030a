/** Owns finding the bridge's file, in the sources and in the published build. */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '../../errors/sandbox-error.ts';

/** Beside this file in the sources; in the build this file is in an entry or a chunk, at the root or one folder down. */
const PLACES = ['./bridge.ts', './bridge.mjs', '../bridge.mjs', './bridge.js', '../bridge.js'];

/**
 * Returns the path of the bridge's program.
 *
 * @throws SandboxError `start` when this build has none
 */
export function locateBridge(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return realpathSync(found);
  throw new SandboxError(
    "This build of truecast lacks `bridge.mjs`, so `via: 'mcp'` cannot work. Install truecast again.",
    { code: 'start' },
  );
}
