import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { declareProtectedCheckout, entriesOf } from '../declare-protected-checkout.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const HOST = await bundledHost(new URL('running-host.ts', import.meta.url));
function headOptions(script: string, changes: Partial<RunOptions> = {}): RunOptions {
  const sandbox = bubblewrap({ egress: 'none' });
  return runOptions(script, { sandbox, branchStrategy: { type: 'head' }, ...changes });
}

describeInBubblewrap('in the checkout itself', () => {
  declareProtectedCheckout(() => bubblewrap({ egress: 'none' }));

  it('`branchStrategy.editablePaths` opens what a task must edit, and it is reported', async () => {
    const cwd = makeRepository();
    const script = 'mkdir .vscode && echo {} > .vscode/tasks.json; mkdir .idea && echo x > .idea/x; true';
    const result = await run(
      headOptions(script, { cwd, branchStrategy: { type: 'head', editablePaths: ['.vscode/'] } }),
    );
    expect(result.sensitiveChanges).toEqual([
      {
        path: '.vscode/tasks.json',
        reason: 'editor-settings',
        runsAt: 'editor',
        change: 'added',
        source: 'files',
      },
    ]);
    expect(existsSync(join(cwd, '.idea'))).toBe(false);
    await expect(
      run(headOptions('true', { cwd, branchStrategy: { type: 'head', editablePaths: ['../x'] } })),
    ).rejects.toMatchObject({
      code: 'invalid-option',
    });
  });

  it('nothing is left behind by a sandbox that does not start, nor by a hook that fails', async () => {
    const cwd = makeRepository();
    const before = entriesOf(cwd);
    const sandbox = bubblewrap({ egress: 'none', mounts: [{ hostPath: '/nonexistent', sandboxPath: '/x' }] });
    await expect(run(headOptions('true', { cwd, sandbox }))).rejects.toThrow(/nonexistent/u);
    const hooks = {
      sandbox: { onSandboxReady: [{ command: 'test -S .mcp.json || test -f .mcp.json && exit 9' }] },
    };
    await expect(run(headOptions('true', { cwd, hooks }))).rejects.toThrow(/9/u);
    expect(entriesOf(cwd).filter((name) => name !== '.truecast')).toEqual(before);
    expect(readdirSync(join(cwd, '.git/truecast/placeholders'))).toEqual([]);
  });

  it('nothing is left behind by a run that was killed, once the next one began', async () => {
    const cwd = makeRepository();
    const before = entriesOf(cwd);
    const script = join(temporaryFolder(), 'agent.sh');
    writeFileSync(script, 'touch started; sleep 100');
    const host = spawn(process.execPath, [HOST, cwd, script, 'bubblewrap', 'head'], { stdio: 'ignore' });
    await vi.waitFor(() => expect(existsSync(join(cwd, 'started'))).toBe(true), { timeout: 30_000 });
    const ended = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGKILL');
    await ended;
    expect(entriesOf(cwd)).toContain('.mcp.json');
    await run(headOptions('rm -f started', { cwd }));
    expect(entriesOf(cwd).filter((name) => name !== '.truecast' && name !== 'started')).toEqual(before);
  });
});
