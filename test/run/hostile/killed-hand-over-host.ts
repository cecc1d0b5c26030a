/** Program that receives a hand-over whose pack stops in the middle, for a test that kills it then. */
import { join } from 'node:path';
import { handOver } from '../../../packages/truecast/src/guest-git/hand-over.ts';
import { layOutStore } from '../../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { spawnStream } from '../../../packages/truecast/src/process/spawn-stream.ts';

const [path = '', packPath = '', markPath = ''] = process.argv.slice(2);
const commonDir = join(path, '.git');
const { store } = await layOutStore({
  worktreePath: path,
  gitDir: commonDir,
  commonDir,
  hasOtherOwner: false,
  timeoutMs: 60_000,
});
const half = `printf 'head ref: refs/heads/main\\nindex \\n\\npack\\n'; head -c 1000000 '${packPath}'; touch '${markPath}'`;
// The stream stays open until this process is dead.
const script = `${half}; while kill -0 ${process.pid} 2>/dev/null; do sleep 0.02; done`;
await handOver(store, () =>
  spawnStream({ file: 'sh', args: ['-c', script], env: { PATH: process.env['PATH'] ?? '' } }),
);
