/**
 * Quarantine for a guest's bundle. It is unpacked into a separate repository and fetched from there
 * into the host's. The fetch makes git check every object. Git before 2.46 does not check the
 * objects of a bundle.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { git, gitOutput } from '../../git/command/git.ts';
import { UNTRUSTED_MEMORY_BYTES } from '../../guest-git/receive/incoming-call.ts';
import { inflatedBytes, MAX_INFLATED_BYTES } from '../../guest-git/receive/inflated-size.ts';
import { copyRegularFileSync } from '../../support/regular-file-sync.ts';
import { CARRIER_REF } from './guest-scripts.ts';
import { runGit, type HostWorktree } from './host-worktree.ts';

const TIMEOUT_MS = 300_000;

/** Received objects and their temporary references. */
export interface ReceivedBundle {
  /** Removes the references. Git's next garbage collection deletes objects without a branch. */
  release(): Promise<void>;
}

/**
 * Fetches a bundle into the host's repository, under `refs/truecast/<id>/`.
 *
 * @throws RepositoryError `git-failed` for broken or dangerous objects, SandboxError `sync` for
 *   objects over the limit; the repository then contains no object of the bundle
 */
export async function receiveBundle(host: HostWorktree, options: ReceiveOptions): Promise<ReceivedBundle> {
  const { folder, id } = options;
  const quarantine = join(folder, 'quarantine.git');
  const prefix = `refs/truecast/${id}/`;
  try {
    await unpack(host, quarantine, options);
    await runGit(
      host,
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        quarantine,
        `+refs/out/*:${prefix}*`,
      ],
      {
        maxMemoryBytes: UNTRUSTED_MEMORY_BYTES,
        config: ['fetch.fsckObjects=true', 'transfer.fsckObjects=true', 'fetch.writeCommitGraph=false'],
      },
    );
  } finally {
    await rm(quarantine, { recursive: true, force: true });
  }
  return {
    async release() {
      const names = await runGit(host, ['for-each-ref', '--format=delete %(refname)', prefix]);
      if (names !== '') await runGit(host, ['update-ref', '--stdin'], { input: `${names}\n` });
    },
  };
}

export interface ReceiveOptions {
  readonly bundlePath: string;
  /** A folder for temporary files. */
  readonly folder: string;
  readonly id: string;
  /** Commits that the bundle can depend on. */
  readonly known: readonly string[];
  /** @default 8589934592 */
  readonly maxInflatedBytes?: number;
}

async function unpack(
  host: HostWorktree,
  quarantine: string,
  { bundlePath, known, maxInflatedBytes = MAX_INFLATED_BYTES }: ReceiveOptions,
): Promise<void> {
  const objectFormat = await runGit(host, ['rev-parse', '--show-object-format']);
  const call = { cwd: host.repositoryPath, timeoutMs: TIMEOUT_MS };
  await gitOutput(
    ['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`, quarantine],
    call,
  );
  const { commonDir } = host.paths;
  const paths = { gitDir: quarantine, commonDir: quarantine, workTree: quarantine };
  await writeFile(
    join(quarantine, 'objects', 'info', 'alternates'),
    `${quotePath(join(commonDir, 'objects'))}\n`,
  );
  copyRegularFileSync(join(commonDir, 'shallow'), join(quarantine, 'shallow'));
  const inside = { ...call, cwd: quarantine, paths, maxMemoryBytes: UNTRUSTED_MEMORY_BYTES };
  // Git accepts a bundle only if its prerequisites are reachable from references.
  const references = [...new Set(known)].map((sha, index) => `create refs/known/${index} ${sha}`);
  await git(['update-ref', '--stdin'], { ...inside, input: `${references.join('\n')}\n` });
  await gitOutput(
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      bundlePath,
      '+refs/heads/*:refs/out/heads/*',
      `+${CARRIER_REF}:refs/out/carrier`,
    ],
    inside,
  );
  const bytes = await inflatedBytes(inside, join(quarantine, 'objects'), maxInflatedBytes);
  if (bytes <= maxInflatedBytes) return;
  throw new SandboxError(
    `The guest's objects have ${bytes} bytes when inflated, more than the limit of ${maxInflatedBytes}. Remove large files there.`,
    { code: 'sync' },
  );
}

/** Quotes a path as a C string, so that git can read unusual characters in it. */
function quotePath(path: string): string {
  return `"${path
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;
}
