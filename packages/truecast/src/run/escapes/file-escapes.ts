/** Escape attempts on files, secrets, network and processes of the host. Data. */
import { lstat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { EscapeAttempt } from './escape-bait.ts';

/** Attempts that do not need git. */
export const FILE_ESCAPES: readonly EscapeAttempt[] = [
  {
    id: 'read-host-file',
    title: 'read a file outside the repository',
    promise: 'files',
    script: ({ outsideFile }) => `cat '${outsideFile}'; cat '/proc/1/root${outsideFile}'`,
    escaped: ({ secret }, output) => output.includes(secret),
  },
  {
    id: 'read-by-link',
    title: 'read a file outside the repository through a link',
    promise: 'files',
    script: ({ outsideFile }) => `ln -s '${outsideFile}' link; cat link`,
    escaped: ({ secret }, output) => output.includes(secret),
  },
  {
    id: 'write-host-file',
    title: 'write a file outside the repository',
    promise: 'files',
    script: ({ outsideFile }) => `echo changed > '${outsideFile}'; rm -f '${outsideFile}'`,
    escaped: (bait) => bait.isFileChanged(),
  },
  {
    id: 'mount-by-link',
    title: 'get a folder outside the repository mounted, through a link in the repository',
    promise: 'files',
    prepare: ({ folder, repository }) => symlink(folder, join(repository, 'linked')),
    mounts: ({ repository }) => [{ hostPath: join(repository, 'linked'), sandboxPath: '/linked' }],
    script: () => 'cat /linked/outside.txt; echo changed > /linked/outside.txt',
    escaped: async (bait, output) => output.includes(bait.secret) || (await bait.isFileChanged()),
  },
  {
    id: 'leave-setuid-program',
    title: 'leave a program with the setuid bit on the host',
    promise: 'code-on-host',
    strategy: 'head',
    script: () => 'cp /bin/sh planted-program && chmod 6755 planted-program',
    escaped: async ({ repository }) => {
      const found = await lstat(join(repository, 'planted-program')).catch(() => undefined);
      return found !== undefined && (found.mode & 0o6000) !== 0;
    },
  },
  {
    id: 'read-git-secrets',
    title: "read credentials in the repository's configuration",
    promise: 'secrets',
    script: () => 'git config --list; cat .git/config "$(git rev-parse --git-common-dir)/config"',
    escaped: ({ secret }, output) => output.includes(secret),
  },
  {
    id: 'read-host-environment',
    title: 'read the environment of a host process',
    promise: 'secrets',
    script: ({ processId }) => `cat /proc/${processId}/environ /proc/[0-9]*/environ`,
    escaped: ({ secret }, output) => output.includes(secret),
  },
  {
    id: 'plant-settings',
    title: 'leave settings for the next run',
    promise: 'secrets',
    strategy: 'head',
    script: () => 'mkdir -p .truecast; echo ANTHROPIC_BASE_URL=http://127.0.0.1:1 > .truecast/.env',
    escaped: async ({ git }) => (await git('config', '--file', '.truecast/.env', '--list')) !== undefined,
  },
  {
    id: 'connect-to-host',
    title: 'connect to a server on the host',
    promise: 'network',
    script: ({ port }) =>
      `if command -v node >/dev/null; then node -e 'require("node:net").connect(${port},"127.0.0.1")'; elif command -v bash >/dev/null; then bash -c ': < /dev/tcp/127.0.0.1/${port}'; else echo NOT-TRIED; fi`,
    escaped: (bait) => bait.connections() > 0,
  },
  {
    id: 'kill-host-process',
    title: 'kill a process of the host',
    promise: 'processes',
    script: ({ processId }) => `kill -9 ${processId}`,
    escaped: (bait) => !bait.isProcessAlive(),
  },
  {
    id: 'create-user-namespace',
    title: 'become root in a new user namespace',
    promise: 'processes',
    script: () =>
      `command -v unshare >/dev/null || echo NOT-TRIED; unshare -Ur sh -c 'echo "became $(id -u)"'`,
    escaped: (_bait, output) => output.includes('became 0'),
  },
  {
    id: 'outlive-the-run',
    title: 'leave a process behind',
    promise: 'processes',
    script: ({ marker }) =>
      `(setsid sh -c "sleep 300; : '${marker}'" >/dev/null 2>&1 </dev/null &); sleep 0.1`,
    escaped: (bait) => bait.hasProcess(bait.marker),
  },
];
