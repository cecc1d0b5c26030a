/** Files that Truecast itself executes or takes settings from, changed by an agent. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importModule } from '../../../packages/cli/src/flags/import-module.ts';
import { run } from '../../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../../describe-in-bubblewrap.ts';
import { git, makeRepository, runOptions } from '../fixture.ts';

const SETTINGS = ['truecast.config.ts', 'models.yaml', 'ensembles/agents/a.yaml', 'schemas/bug.mjs'];
const CHANGE = SETTINGS.map((path) => `echo '// evil' >> ${path}`).join('; ');
const sandbox = bubblewrap({ egress: 'none' });

/** A repository with each file, whose schema was loaded by this process. */
async function makeProject(): Promise<string> {
  const cwd = makeRepository();
  for (const folder of ['schemas', 'ensembles/agents']) mkdirSync(join(cwd, folder), { recursive: true });
  for (const path of SETTINGS) writeFileSync(join(cwd, path), 'export default {};\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'settings');
  await importModule(join(cwd, 'schemas/bug.mjs'), 'The module of `--schema`');
  return cwd;
}

describeInBubblewrap('settings and modules of Truecast', () => {
  it('are read-only in the checkout itself, also a new one', async () => {
    const cwd = await makeProject();
    git(cwd, 'rm', '-q', 'truecast.config.ts');
    git(cwd, 'commit', '-q', '-m', 'no configuration');
    const script = `${CHANGE}; echo x > ensembles/agents/new.yaml; mv schemas/bug.mjs schemas/old.mjs; true`;
    const options = { cwd, sandbox, branchStrategy: { type: 'head' } } as const;
    const { sensitiveChanges } = await run(runOptions(script, options));
    expect(sensitiveChanges).toEqual([]);
    for (const path of SETTINGS.slice(1)) {
      expect(readFileSync(join(cwd, path), 'utf8'), path).toBe('export default {};\n');
    }
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  });

  it('can be created by their common names where a project has none', async () => {
    const cwd = makeRepository();
    const script = 'mkdir ensembles && echo x > models.yaml && echo x > ensembles/a.yaml';
    const options = { cwd, sandbox, branchStrategy: { type: 'head' } } as const;
    const { sensitiveChanges } = await run(runOptions(script, options));
    expect(sensitiveChanges.map(({ path, runsAt }) => [path, runsAt])).toEqual([
      ['models.yaml', 'truecast'],
      ['ensembles/a.yaml', 'truecast'],
    ]);
  });

  it.each(['merge-to-head', 'branch'] as const)(
    'are named where the agent commits them: %s',
    async (type) => {
      const cwd = await makeProject();
      const branchStrategy = type === 'branch' ? { type, branch: 'b' } : { type };
      const script = `${CHANGE}; mkdir .truecast; echo x > .truecast/main.ts; git add -f -A; git commit -q -m evil`;
      const { sensitiveChanges } = await run(runOptions(script, { cwd, sandbox, branchStrategy }));
      const named = sensitiveChanges.filter(({ reason }) => reason === 'truecast-settings');
      expect(named.map(({ path }) => path).toSorted()).toEqual([...SETTINGS, '.truecast/main.ts'].toSorted());
    },
  );

  it('prevent a merge with the policy `refuse`', async () => {
    const cwd = await makeProject();
    const options = { cwd, sandbox, branchStrategy: { type: 'merge-to-head' } } as const;
    const script = `${CHANGE}; git commit -q -a -m evil`;
    const running = run({ ...runOptions(script, options), policies: { sensitiveChanges: 'error' } });
    await expect(running).rejects.toMatchObject({ code: 'sensitive-changes' });
    expect(readFileSync(join(cwd, 'schemas/bug.mjs'), 'utf8')).toBe('export default {};\n');
  });
});
