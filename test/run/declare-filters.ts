/** Tests of filters around a run: one declaration for every sandbox. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BranchStrategy } from '../../packages/truecast/src/git/command/branch-strategy.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { makeFilteredRepository, makeFilterPrograms, SECRETS, type FilterKind } from './filter-kinds.ts';
import { git, runOptions } from './fixture.ts';
import { matrixColumns } from '../matrix.ts';

const STRATEGIES: readonly BranchStrategy[] = [
  { type: 'head' },
  { type: 'merge-to-head' },
  { type: 'branch', branch: 'work' },
];

/** Declares one test for each kind and strategy. The short form tries one or two strategies of each kind. */
export function declareFilters(
  kinds: readonly FilterKind[],
  makeSandbox: (programs: string) => SandboxProvider,
): void {
  describe.each(kinds.map((kind, row) => ({ ...kind, row })))('$title', ({ row, ...kind }) => {
    it.each(matrixColumns(row, STRATEGIES, { rows: kinds.length }))(
      'cleans every file exactly once with `$type`',
      async (branchStrategy) => {
        const programs = makeFilterPrograms();
        const cwd = makeFilteredRepository(kind.config(programs));
        const untouched = git(cwd, 'rev-parse', 'HEAD:y.enc');
        const script = `cat x.enc && git status --porcelain && echo 'new secret' >> x.enc && echo fresh > n.enc && touch y.enc && git add -A && git commit -q -m work && git status --porcelain`;
        const result = await run(runOptions(script, { cwd, sandbox: makeSandbox(programs), branchStrategy }));
        const committed = kind.smudge(kind.clean(SECRETS['x.enc'] ?? ''));
        const seen = branchStrategy.type === 'head' ? (SECRETS['x.enc'] ?? '') : committed;
        expect(result.stdout).toBe(seen);
        expect(result.warnings).toEqual([]);
        expect(git(cwd, 'show', '--format=', '--name-only', result.branch).split('\n')).toEqual([
          'n.enc',
          'x.enc',
        ]);
        const blob = (name: string): string => git(cwd, 'cat-file', 'blob', `${result.branch}:${name}`);
        expect(blob('x.enc')).toBe(kind.clean(`${seen}new secret`));
        expect(blob('n.enc')).toBe(kind.clean('fresh'));
        expect(git(cwd, 'rev-parse', `${result.branch}:y.enc`)).toBe(untouched);
        expect(result.preservedWorktreePath).toBeUndefined();
        expect(git(cwd, 'status', '--porcelain')).toBe('');
        if (branchStrategy.type === 'branch') return;
        expect(readFileSync(join(cwd, 'n.enc'), 'utf8')).toBe('fresh\n');
        git(cwd, 'update-index', '--really-refresh');
      },
    );
  });
}
