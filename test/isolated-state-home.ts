/** Isolated state directory for tests: no suite writes to the developer's home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Sets `XDG_STATE_HOME` for all workers and their child processes. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'truecast-state-'));
  process.env['XDG_STATE_HOME'] = folder;
}

/** Removes the folder. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
