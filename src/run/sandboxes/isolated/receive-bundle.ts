/**
 * Owns the border that a guest's bundle crosses: it is unpacked into a repository of its own, and only from there fetched
 * into the host's, where git checks every object (git before 2.46 checks none of a bundle's).
 */
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitOutput } from '../../git/git.ts';
import { CARRIER_REF } from './guest-scripts.ts';
import { runGit, type HostWorktree } from './host-worktree.ts';

const TIMEOUT_MS = 300_000;

/** What came, and under which references it is for now. */
export interface ReceivedBundle {
  /** Removes the references; what no branch holds then goes with git's next collection. */
  release(): Promise<void>;
}

/**
 * Fetches a bundle into the host's repository, under `refs/truecast/<id>/`.
 *
 * @throws RepositoryError `git-failed` for what is broken or dangerous: nothing of it is in the repository then
 */
export async function receiveBundle(
  host: HostWorktree,
  { bundlePath, folder, id, known }: ReceiveOptions,
): Promise<ReceivedBundle> {
  const quarantine = join(folder, 'quarantine.git');
  const prefix = `refs/truecast/${id}/`;
  try {
    await unpack(host, quarantine, bundlePath, known);
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

/** What `receiveBundle` takes. */
export interface ReceiveOptions {
  readonly bundlePath: string;
  /** A folder for what is needed meanwhile. */
  readonly folder: string;
  readonly id: string;
  /** Commits that the bundle may build upon. */
  readonly known: readonly string[];
}

async function unpack(
  host: HostWorktree,
  quarantine: string,
  bundlePath: string,
  known: readonly string[],
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
  await copyFile(join(commonDir, 'shallow'), join(quarantine, 'shallow')).catch(() => undefined);
  const inside = { ...call, cwd: quarantine, paths };
  // A bundle is taken only where references reach what it builds upon.
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
}

/** A path with unusual characters is read as a C string, when it begins with a quote. */
function quotePath(path: string): string {
  return `"${path
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`;
}
