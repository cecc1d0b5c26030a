/** Owns making what a bubblewrap sandbox needs on the host, before its first command. */
import { realpath } from 'node:fs/promises';
import { SandboxError } from '../../../errors/sandbox-error.ts';
import type { BubblewrapLayout } from './arguments.ts';
import { guestEnvironment, readGitConfig, withoutSecrets } from './environment.ts';
import { prepareGitPaths } from './git.ts';
import { createPrivateFolder, type PrivateFolder } from './home.ts';
import { resolveMount } from './mounts.ts';
import { bindPrograms } from './programs.ts';
import type { BubblewrapOptions } from './bubblewrap-options.ts';
import { startEgress, type SandboxEgress, type StartEgressOptions } from '../egress/start-egress.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import { linksOf } from '../inspect-git-paths.ts';
import type { SandboxCreateOptions } from '../sandbox-provider.ts';

/** A sandbox without a command yet. */
export interface PreparedBubblewrap {
  readonly bubblewrap: Bubblewrap;
  readonly layout: BubblewrapLayout;
  readonly egress: SandboxEgress;
  /** Returns the environment inside, with `added` over the sandbox's own. */
  environment(added: Readonly<Record<string, string>>): Record<string, string>;
  readonly knownLinks: ReadonlySet<string>;
  readonly free: () => Promise<void>;
}

type Options = BubblewrapOptions & { readonly homePath: string };

/** The guest of a caller who is root; seen from outside it is still the caller, so that files come out as his. */
const ORDINARY_ID = 1000;

/** Prepares a sandbox; what it made is freed when a later step fails. */
export async function prepareBubblewrap(
  created: SandboxCreateOptions,
  options: Options,
): Promise<PreparedBubblewrap> {
  const bubblewrap = await findBubblewrap();
  if (bubblewrap === undefined) {
    const message =
      'bubblewrap is not installed: there is no `bwrap` on the PATH. Install the package `bubblewrap`, or choose another sandbox; see `truecast doctor`.';
    throw new SandboxError(message, { code: 'unavailable' });
  }
  const policy = options.egress ?? (created.modelAccess === undefined ? 'host' : 'model');
  const egress = await startEgress({ policy, modelAccess: created.modelAccess, ...pickListener(options) });
  let folder: PrivateFolder | undefined;
  const free = async (): Promise<void> => {
    await egress.close();
    await folder?.remove();
  };
  try {
    const user = { uid: idOf(process.getuid?.()), gid: idOf(process.getgid?.()), homePath: options.homePath };
    if (created.git !== undefined) await prepareGitPaths(created.git);
    folder = await createPrivateFolder(user, !egress.isCutOff);
    const isolation = {
      ...user,
      sharesNetwork: !egress.isCutOff,
      canDisableUserNamespaces: bubblewrap.canDisableUserNamespaces,
    };
    const { layout, path } = await layOut(created, options, { isolation, folder });
    const gitConfig = await readGitConfig(created.git);
    const access = egress.carriedAccess;
    return {
      bubblewrap,
      layout,
      egress,
      environment(added) {
        const all = { ...options.env, ...created.env, ...added };
        const given = access === undefined ? all : withoutSecrets(all, access);
        return guestEnvironment({ homePath: options.homePath, path, given, gitConfig });
      },
      knownLinks: created.git === undefined ? new Set() : await linksOf(created.git),
      free,
    };
  } catch (error) {
    await free();
    throw error;
  }
}

async function layOut(
  created: SandboxCreateOptions,
  options: Options,
  {
    isolation,
    folder,
  }: { readonly isolation: BubblewrapLayout['isolation']; readonly folder: PrivateFolder },
): Promise<{ readonly layout: BubblewrapLayout; readonly path: string }> {
  const { worktreePath, git } = created;
  const { homePath } = options;
  // Asked first for the message: bubblewrap's own names a path, not an option.
  await realpath(worktreePath);
  const programs = bindPrograms({
    readonlyPaths: created.readonlyPaths ?? [],
    hostPath: process.env['PATH'] ?? '',
    nodePath: process.execPath,
    visiblePaths: [worktreePath],
  });
  const bases = { hostRepoPath: created.hostRepoPath, worktreePath, homePath };
  const mounts = [...created.mounts, ...(options.mounts ?? [])].map((mount) => resolveMount(mount, bases));
  const layout = {
    isolation,
    folder,
    homePath,
    programArguments: programs.arguments,
    worktreePath,
    mounts,
    git,
  };
  return { layout, path: programs.path };
}

function pickListener({ onModelRequest }: Options): Pick<StartEgressOptions, 'onModelRequest'> {
  return onModelRequest === undefined ? {} : { onModelRequest };
}

function idOf(id: number | undefined): number {
  return id === undefined || id === 0 ? ORDINARY_ID : id;
}
