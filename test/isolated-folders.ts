/**
 * Isolated folders for tests: no suite writes to the developer's home, and templates of repositories
 * are removed after the run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable for each folder. Workers and their child processes inherit them. */
const FOLDERS = { XDG_STATE_HOME: 'truecast-state-', TRUECAST_TEST_TEMPLATES: 'truecast-templates-' };

const created: string[] = [];

/** Creates the folders. Each project of a run calls this. */
export function setup(): void {
  if (created.length > 0) return;
  for (const [variable, prefix] of Object.entries(FOLDERS)) {
    const folder = mkdtempSync(join(tmpdir(), prefix));
    created.push(folder);
    process.env[variable] = folder;
  }
}

/** Returns one of the folders. */
export function isolatedFolder(variable: keyof typeof FOLDERS): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new TypeError(`${variable} is not set: isolated-folders.ts sets it up.`);
  return folder;
}

/** Removes the folders. */
export function teardown(): void {
  for (const folder of created.splice(0)) rmSync(folder, { recursive: true, force: true });
}
