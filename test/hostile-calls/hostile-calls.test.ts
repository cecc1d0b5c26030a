/**
 * Calls of each public function with hostile values in each place of its arguments and options: no raw
 * error, no unhandled rejection, and nothing left behind.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestOf } from '../architecture/source-tree.ts';
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

async function callAll(folder: string): Promise<CallReport> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-hostile-calls-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = mkdtempSync(join(home, 'cwd-'));
  const program = join(import.meta.dirname, 'call-exports.ts');
  const { stdout } = await execa(process.execPath, [program, entriesOf(folder).join(',')], {
    cwd,
    env: { HOME: home, CLAUDE_CONFIG_DIR: join(home, 'claude'), CODEX_HOME: join(home, 'codex') },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as CallReport; // Printed by call-exports.ts, which types it.
}

describe.each(PUBLISHED)('each public function of %s', (folder) => {
  it(
    'refuses what it cannot use with a typed error, and leaves nothing behind',
    { timeout: 300_000 },
    async () => {
      const { functions, calls, refused, bad } = await callAll(folder);
      expect(bad).toEqual([]);
      expect(
        functions.filter((name) => !(name in BASE_CALLS) && !/[.]|^Output$|^reply$|^step$/u.test(name)),
      ).toEqual([]);
      expect(calls).toBeGreaterThan(functions.length * 20);
      // Else the values were not hostile.
      expect(refused).toBeGreaterThan(calls / 4);
    },
  );
});
