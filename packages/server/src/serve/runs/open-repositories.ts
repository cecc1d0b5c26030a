/** Repositories of a worker: those at a path as they are, and those at an address as clones on this machine. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';
import { openClone } from 'truecast/internal/git/remote/remote-clone';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { ensureTruecastFolder } from 'truecast/internal/support/truecast-folder';
import type { RepositorySettings } from '../../config/run-settings.ts';
import type { RemoteWork } from './execute-pushed-run.ts';
import type { RunRepository } from './take-over.ts';

/** Location of credentials and clones. */
export interface RepositoriesPlace {
  /** Has the credentials of addresses. @default none */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Its `.truecast/repositories` has the clones. @default the working directory of the process */
  readonly folder?: string;
  /** In milliseconds. @default 30 minutes for a fetch, two minutes for a push */
  readonly remoteLimits?: RemoteWork['limits'];
}

/** A repository that runs can use. */
export interface OpenRepository extends RunRepository {
  /** Present for an address. */
  readonly remote?: RemoteWork;
}

/** A first clone can be large. A remote that sends nothing is given up before. */
const REMOTE_LIMITS: RemoteWork['limits'] = {
  fetchMs: 1_800_000,
  pushMs: 120_000,
  leaveMs: 5_000,
  pauseMs: 1_000,
};

/** Opens them. An address is connected to when its first run starts. @throws UsageError */
export async function openRepositories(
  repositories: Readonly<Record<string, RepositorySettings>>,
  place: RepositoriesPlace,
): Promise<ReadonlyMap<string, OpenRepository>> {
  const opened = new Map<string, OpenRepository>();
  for (const [name, settings] of Object.entries(repositories)) {
    const isPath = 'path' in settings;
    opened.set(name, isPath ? await openPath(name, settings.path) : await openAddress(name, settings, place));
  }
  return opened;
}

async function openPath(name: string, path: string): Promise<OpenRepository> {
  try {
    const { topLevel, commonDir } = await openRepository(path, { timeoutMs: GIT_TIMEOUT_MS });
    return { path, topLevel, commonDir, stateFolder: repositoryStateFolder(commonDir) };
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The path of \`repositories.${name}\` has no repository: ${said}`, { cause });
  }
}

type AddressSettings = Extract<RepositorySettings, { readonly url: string }>;

async function openAddress(
  name: string,
  { url, credential, push = 'always' }: AddressSettings,
  { environment = {}, folder = process.cwd(), remoteLimits: limits = REMOTE_LIMITS }: RepositoriesPlace,
): Promise<OpenRepository> {
  const password = credential && environment[credential.env];
  if (credential !== undefined && (password === undefined || !/^\S+$/u.test(password))) {
    throw new UsageError(
      `Expected the environment variable \`${credential.env}\` of \`repositories.${name}.credential\` to have a password without spaces, got ${password === undefined ? 'none' : 'another text'}. Set it, or remove \`credential\`.`,
    );
  }
  // Another address has another clone.
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 12);
  const path = join(ensureTruecastFolder(folder, 'repositories'), `${name}-${hash}`);
  const clone = await openClone(path, { url, password });
  const { commonDir } = clone;
  const remote = { clone, push, limits };
  return { path, topLevel: path, commonDir, stateFolder: repositoryStateFolder(commonDir), remote };
}
