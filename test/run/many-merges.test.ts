/** Many processes that merge at once: all branches land, and none is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { matrixRuns } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from './fixture.ts';

const MERGE = join(import.meta.dirname, '../../packages/truecast/src/run/merge/merge.ts');
const NO_SANDBOX = join(import.meta.dirname, '../../packages/truecast/src/sandboxes/no-sandbox.ts');
const PROCESSES = matrixRuns(4, 10);
const EACH = matrixRuns(3, 10);

it.each([
  ['without a check', '{ cwd }'],
  ['with a check', '{ cwd, sandbox: noSandbox(), check: () => undefined }'],
])(
  `${PROCESSES * EACH} branches of ${PROCESSES} processes land %s`,
  async (_title, options) => {
    const cwd = makeRepository();
    const base = git(cwd, 'rev-parse', 'HEAD');
    const names = Array.from({ length: PROCESSES * EACH }, (_, at) => `fix-${at}`);
    for (const name of names) {
      git(cwd, 'read-tree', base);
      const blob = git(cwd, 'rev-parse', `${base}:a.txt`);
      git(cwd, 'update-index', '--add', '--cacheinfo', `100644,${blob},${name}.txt`);
      git(cwd, 'branch', name, git(cwd, 'commit-tree', '-p', base, '-m', name, git(cwd, 'write-tree')));
    }
    git(cwd, 'reset', '-q', '--hard');
    const program = `
    import { merge } from ${JSON.stringify(MERGE)};
    import { noSandbox } from ${JSON.stringify(NO_SANDBOX)};
    const [cwd, ...names] = process.argv.slice(1);
    void noSandbox;
    const { merged, kept } = await merge(names, { ...${options}, timeouts: { mergeToHostMs: 600_000 } });
    for (const { branch, error } of kept) console.error(branch, error.message);
    process.exitCode = merged.length === names.length ? 0 : 1;`;
    const codes = await Promise.all(
      Array.from({ length: PROCESSES }, async (_, at) => {
        const own = names.slice(at * EACH, (at + 1) * EACH);
        const args = ['--input-type=module-typescript', '--eval', program, cwd, ...own];
        const child = spawn(process.execPath, args, {
          cwd: temporaryFolder(),
          stdio: ['ignore', 'inherit', 'inherit'],
        });
        return ((await once(child, 'exit')) as [number])[0];
      }),
    );
    expect(codes).toEqual(codes.map(() => 0));
    expect(readdirSync(cwd).filter((file) => file.startsWith('fix-'))).toHaveLength(names.length);
    const landed = new Set(git(cwd, 'rev-list', 'main').split('\n'));
    const tips = git(cwd, 'for-each-ref', '--format=%(objectname)', 'refs/heads/fix-*').split('\n');
    expect(tips.filter((tip) => !landed.has(tip))).toEqual([]);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    git(cwd, 'fsck', '--strict', '--no-dangling');
  },
  600_000,
);
