/** Many processes that merge at once: all branches land, and none is lost. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { matrixRuns } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from './fixture.ts';

const HOST = await bundledHost(new URL('many-merges-host.ts', import.meta.url));
const PROCESSES = matrixRuns(3, 10);
const EACH = matrixRuns(2, 10);

it.each([
  ['without a check', 'unchecked'],
  ['with a check', 'checked'],
])(
  `${PROCESSES * EACH} branches of ${PROCESSES} processes land %s`,
  async (_title, kind) => {
    const cwd = makeRepository();
    const names = Array.from({ length: PROCESSES * EACH }, (_, at) => `fix-${at}`);
    makeBranches(cwd, names);
    const codes = await Promise.all(
      Array.from({ length: PROCESSES }, async (_, at) => {
        const own = names.slice(at * EACH, (at + 1) * EACH);
        const child = spawn(process.execPath, [HOST, cwd, kind, ...own], {
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

/** Makes a branch for each name, whose commit adds a file of that name to the first commit. */
function makeBranches(cwd: string, names: readonly string[]): void {
  const [base, blob] = git(cwd, 'rev-parse', 'HEAD', 'HEAD:a.txt').split('\n');
  const commits = names.map((name) =>
    [
      `commit refs/heads/${name}`,
      'committer Test <test@example.invalid> 1700000000 +0000',
      `data ${name.length}`,
      name,
      `from ${base}`,
      `M 100644 ${blob} ${name}.txt`,
      '',
    ].join('\n'),
  );
  execFileSync('git', ['fast-import', '--quiet'], { cwd, input: commits.join('\n') });
}
