/**
 * Process that holds a container and is killed by a test. Its arguments are the engine, the image,
 * the worktree and the command.
 */
import { docker } from '../../packages/truecast/src/sandboxes/docker.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';

const [engine = '', imageName = '', worktreePath = '', command = ''] = process.argv.slice(2);
const sandbox = engine === 'docker' ? docker({ imageName }) : podman({ imageName });
const handle = await sandbox.create({ worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} });
await handle.exec(command, { onLine: (line) => process.stdout.write(`${line}\n`) });
