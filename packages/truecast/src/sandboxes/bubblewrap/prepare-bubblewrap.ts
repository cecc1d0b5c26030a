/** Preparation of a bubblewrap sandbox on the host, before its first command. */
import { realpath } from 'node:fs/promises';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { BubblewrapLayout } from './arguments.ts';
import { gitConfigInside, guestEnvironment, withoutSecrets } from './environment.ts';
import { createControlGroup, quickenMoves, type ControlGroup } from './control-group.ts';
import { createPrivateFolder, type PrivateFolder } from './home.ts';
import { completeBubblewrapLimits, type BubblewrapOptions } from './limits.ts';
import { resolveMounts } from '../shared/mounts.ts';
import { bindPrograms } from './programs.ts';
import { findSystemCredentials } from './system.ts';
import { defaultEgress } from '../egress/egress-policy.ts';
import { startEgress, type SandboxEgress, type StartEgressOptions } from '../egress/start-egress.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import { openGuestGit, type GuestGit } from '../../guest-git/guest-git.ts';
import { guestGitOptions } from '../shared/guest-git-options.ts';
import type { OwnGitCreateOptions } from '../../ports/own-git.ts';
import type { SandboxCreateOptions } from '../../ports/sandbox-provider.ts';

/** A sandbox without a command yet. */
export interface PreparedBubblewrap {
  readonly bubblewrap: Bubblewrap;
  readonly layout: BubblewrapLayout;
  readonly egress: SandboxEgress;
  /** Counts the resources of all commands together, if this machine allows it. */
  readonly group: ControlGroup | undefined;
  /** Returns the environment inside: the sandbox's own, overridden by `added`. */
  environment(added: Readonly<Record<string, string>>): Record<string, string>;
  readonly free: () => Promise<void>;
}

type Options = BubblewrapOptions & { readonly homePath: string };

/**
 * User id of the guest if the caller is root. Outside it is still the caller, who therefore owns
 * the files.
 */
const ORDINARY_ID = 1000;

/** Prepares a sandbox. If a later step fails, everything created is removed. */
export async function prepareBubblewrap(
  created: OwnGitCreateOptions,
  options: Options,
): Promise<PreparedBubblewrap> {
  const bubblewrap = await findBubblewrap();
  if (bubblewrap === undefined) {
    const message =
      'bubblewrap is not installed: there is no `bwrap` on the PATH. Install the package `bubblewrap`, or choose another sandbox. Run `truecast doctor` to see what works here.';
    throw new SandboxError(message, { code: 'unavailable' });
  }
  const policy = options.egress ?? defaultEgress(created);
  const egress = await startEgress({ policy, modelAccess: created.modelAccess, ...pickListener(options) });
  let making: Promise<PrivateFolder> | undefined;
  let guestGit: GuestGit | undefined;
  let group: ControlGroup | undefined;
  const free = async (): Promise<void> => {
    const folder = await making?.catch(() => undefined);
    const freed = await Promise.allSettled([egress.close(), folder?.remove(), guestGit?.close()]);
    await group?.remove();
    const failed = freed.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  try {
    group = await createControlGroup(completeBubblewrapLimits(options.limits));
    // Not awaited, because it ends before the first command, while the store is written. Until
    // then, the creation of another group would wait.
    void quickenMoves();
    const user = { uid: idOf(process.getuid?.()), gid: idOf(process.getgid?.()), homePath: options.homePath };
    const gitOptions = guestGitOptions(created, user.uid);
    // Created while git is read for the store.
    making = createPrivateFolder(user, !egress.isCutOff, created.recoveredHome);
    making.catch(() => undefined);
    if (gitOptions !== undefined) guestGit = await openGuestGit(gitOptions);
    const folder = await making;
    const isolation = {
      ...user,
      sharesNetwork: !egress.isCutOff,
      canDisableUserNamespaces: bubblewrap.canDisableUserNamespaces,
    };
    const { layout, path } = await layOut(created, options, { isolation, folder, guestGit });
    const gitConfig = gitConfigInside(guestGit?.identity);
    const access = egress.carriedAccess;
    return {
      bubblewrap,
      layout,
      egress,
      group,
      environment(added) {
        const all = { ...options.env, ...created.env, ...added };
        const given = access === undefined ? all : withoutSecrets(all, access);
        return guestEnvironment({ homePath: options.homePath, path, given, gitConfig });
      },
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
  { isolation, folder, guestGit }: Pick<BubblewrapLayout, 'isolation' | 'folder' | 'guestGit'>,
): Promise<{ readonly layout: BubblewrapLayout; readonly path: string }> {
  const { worktreePath } = created;
  const { homePath } = options;
  // Checked first for a better message. Bubblewrap's message names a path, not an option.
  await realpath(worktreePath);
  const programs = bindPrograms({
    readonlyPaths: created.readonlyPaths ?? [],
    hostPath: process.env['PATH'] ?? '',
    nodePath: process.execPath,
    visiblePaths: [worktreePath],
  });
  const bases = { hostRepoPath: created.hostRepoPath, worktreePath, homePath };
  const mounts = resolveMounts([...created.mounts, ...(options.mounts ?? [])], bases);
  const layout = {
    isolation,
    folder,
    homePath,
    programArguments: programs.arguments,
    worktreePath,
    mounts,
    guestGit,
    hiddenPaths: findSystemCredentials(),
    limits: completeBubblewrapLimits(options.limits),
  };
  return { layout, path: programs.path };
}

function pickListener({ onModelRequest }: Options): Pick<StartEgressOptions, 'onModelRequest'> {
  return onModelRequest === undefined ? {} : { onModelRequest };
}

function idOf(id: number | undefined): number {
  return id === undefined || id === 0 ? ORDINARY_ID : id;
}
