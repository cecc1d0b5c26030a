/**
 * Calls of each public function with hostile values in each place of its arguments and options: no raw
 * error, no unhandled rejection, and nothing left behind.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { manifestOf } from '../architecture/source-tree.ts';
import { matrixRuns } from '../matrix.ts';
import { PUBLISHED } from '../package/unpack-packages.ts';
import { BASE_CALLS } from './base-calls.ts';
import type { CallReport } from './call-exports.ts';

const PACKAGES = join(import.meta.dirname, '../../packages');

/** Hooks and components of React can only be called by React. */
const OF_REACT = /client\/src\/exports\/react\.ts$/u;

/** The public entries of a package, as paths of its sources. */
function entriesOf(folder: string): readonly string[] {
  return Object.entries(manifestOf(folder).exports)
    .filter(([subpath]) => !/^\.\/(?:internal|package\.json)/u.test(subpath))
    .map(([, source]) => join(PACKAGES, folder, source))
    .filter((path) => !OF_REACT.test(path));
}

/** The short form tries each seventh call: all kinds of values, in all places. */
const STRIDE = matrixRuns(7, 1);
const reports = new Map<string, CallReport>();

/** Calls the functions of all packages in one process, which loads what they share once. */
beforeAll(async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-hostile-calls-')));
  const cwd = mkdtempSync(join(home, 'cwd-'));
  const program = join(import.meta.dirname, 'call-exports.ts');
  const packages = PUBLISHED.map((folder) => `${folder}=${entriesOf(folder).join(',')}`);
  const { stdout } = await execa(process.execPath, [program, String(STRIDE), ...packages], {
    cwd,
    env: { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude'), CODEX_HOME: join(home, 'codex') },
    maxBuffer: 64 * 1024 * 1024,
  });
  rmSync(home, { recursive: true, force: true });
  // Printed by call-exports.ts, which types it.
  const printed = JSON.parse(stdout) as Readonly<Record<string, CallReport>>;
  for (const [folder, report] of Object.entries(printed)) reports.set(folder, report);
}, 300_000);

describe.each(PUBLISHED)('each public function of %s', (folder) => {
  it('refuses what it cannot use with a typed error, and leaves nothing behind', () => {
    const { functions, calls, refused, bad } = reports.get(folder) ?? expect.fail(`No report of ${folder}.`);
    expect(bad).toEqual([]);
    expect(
      functions.filter((name) => !(name in BASE_CALLS) && !/[.]|^Output$|^reply$|^step$/u.test(name)),
    ).toEqual([]);
    expect(calls).toBeGreaterThan((functions.length * 20) / STRIDE);
    // Else the values were not hostile.
    expect(refused).toBeGreaterThan(calls / 4);
  });
});
