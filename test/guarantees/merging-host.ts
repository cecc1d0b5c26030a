/** Merging host: a program that runs an agent on one route and merges its work, until it is killed. */
import { writeFileSync } from 'node:fs';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';

const [route = '', cwd = '', pidFile = '', script = ''] = process.argv.slice(2);
writeFileSync(pidFile, String(process.pid));
const asked = { agent: command({ command: ['sh', '-c', script] }), prompt: 'Work.' };
const branchStrategy = { type: 'merge-to-head' } as const;

if (route === 'kept') {
  await using worktree = await createWorktree({ cwd, branchStrategy });
  await worktree.run({ ...asked, sandbox: noSandbox() });
} else if (route === 'batch') {
  await runBatch({
    ...asked,
    cwd,
    branchStrategy,
    sandbox: noSandbox(),
    inputs: [{ N: 1 }],
    prompt: '{{N}}',
  });
} else if (route === 'merge') {
  await run({ ...asked, cwd, branchStrategy: { type: 'branch', branch: 'work' }, sandbox: noSandbox() });
  await merge('work', { cwd, sandbox: noSandbox(), check: () => undefined });
} else if (route === 'run/none') await run({ ...asked, cwd, branchStrategy, sandbox: noSandbox() });
else if (route === 'run/bubblewrap') {
  await run({ ...asked, cwd, branchStrategy, sandbox: bubblewrap({ egress: 'none' }) });
} else {
  await run({ ...asked, cwd, branchStrategy, sandbox: podman({ imageName: TEST_IMAGE, egress: 'none' }) });
}
