/** Program that works in a sandbox and kills itself at a given point, for the tests of recovery. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnGitCreateOptions, OwnGitHandle } from '../../packages/truecast/src/ports/own-git.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';

const [hostRepoPath = '', worktreePath = '', gitDir = '', point = '', script = ''] = process.argv.slice(2);
const dieAt = (reached: string): void => {
  if (reached === point) process.kill(process.pid, 'SIGKILL');
};
const creation: OwnGitCreateOptions = {
  worktreePath,
  hostRepoPath,
  mounts: [],
  env: {},
  git: { gitDir, commonDir: join(hostRepoPath, '.git'), onHandOverStep: dieAt },
};
const handle: OwnGitHandle = await bubblewrap({ egress: 'none' }).create(creation);
dieAt('laid-out');
if (point === 'working') {
  void handle.exec(`${script}; touch ready; sleep 60`).catch(() => undefined);
  while (!existsSync(join(worktreePath, 'ready'))) await sleep(5);
  dieAt('working');
}
await handle.exec(script);
await handle.handOver?.();
