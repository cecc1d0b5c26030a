/** Facts about the caller's repository, read before anything is created in it. */
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CwdError } from '@truecast/core/internal/errors/usage-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { isTemporaryCopy } from '@truecast/host/internal/state-folder';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { git, gitFailed, type GitCallOptions, type GitPaths, type GitResult } from '../command/git.ts';
import { listConfig, type ConfigEntry } from '../command/config-entries.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { rememberRepository } from '../../process/temporary-folder.ts';
import { CONFIGURED_FILTERS, judgeConfig, type StatusFilters, type TrustedConfig } from './trusted-config.ts';

/** The caller's checkout, in its state at opening. */
export interface Repository {
  /** The checkout's top folder. */
  readonly topLevel: string;
  /**
   * The top folder of the repository's main checkout. Equals `topLevel`, unless the caller is in a
   * linked worktree.
   */
  readonly mainTopLevel: string;
  readonly commonDir: string;
  readonly gitDir: string;
  readonly headSha: string;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  /** True if the caller is in a linked worktree. */
  readonly isWorktree: boolean;
  /** Tips of all references. Their commits are not work of this run. */
  readonly knownTips: readonly string[];
  /** Ids of all references by name. Undefined if they changed while git listed them. */
  readonly references: ReadonlyMap<string, string> | undefined;
  /**
   * The repository's configuration, read once. It is read before any guest could change it, unless
   * the checkout was opened without guests.
   */
  trustedConfig(): Promise<TrustedConfig>;
  /** All entries, read once like `trustedConfig`. */
  configEntries(): Promise<readonly ConfigEntry[]>;
  /** Filters for a status. Reads no configuration if agents run on the host. */
  statusFilters(): Promise<StatusFilters>;
  /** True if agents run on the host, where filters are not turned off. */
  readonly isUnguarded: boolean;
}

/**
 * Separator between the paths. They can contain newlines, so newlines alone cannot separate them.
 */
const SEPARATOR = '\nfalse\n';

export interface OpenRepositoryOptions extends GitCallOptions {
  /**
   * True if no guest will write to it. Its configuration is read on demand, which never happens in
   * the caller's own checkout. @default false
   */
  readonly isWithoutGuests?: boolean;
  /**
   * True if agents run on the host, where turning filters off would protect nothing. @default false
   */
  readonly isUnguarded?: boolean;
}

/**
 * Reads the checkout that contains `cwd`, with one round of git calls.
 *
 * @throws CwdError; RepositoryError `not-a-repository`, `bare`, `no-commit`, `timeout`, `unsafe-path`
 */
export async function openRepository(cwd: string, options: OpenRepositoryOptions): Promise<Repository> {
  const { timeoutMs, signal, isWithoutGuests = false, isUnguarded = false } = options;
  const { path: start, root } = trustedPath(cwd, { option: '`cwd`' });
  await assertDirectory(start, cwd);
  const call = { timeoutMs, signal, cwd: start };
  let entries: Promise<readonly ConfigEntry[]> | undefined;
  const readEntries = (): Promise<readonly ConfigEntry[]> => (entries ??= listConfig(call));
  // A failure is reported when the entries are used.
  const reading = isWithoutGuests ? undefined : readEntries().catch(() => undefined);
  const [found] = await Promise.all([git(REV_PARSE, call), reading]);
  const parsed = parseRevParse(found);
  if (parsed === undefined) throw await diagnose(found, call);
  if (!isTemporaryCopy(parsed.commonDir)) rememberRepository(parsed.commonDir);
  if (root !== undefined) assertSameCheckout(start, parsed.topLevel);
  const isWorktree = parsed.gitDir !== parsed.commonDir;
  const mainTopLevel = isWorktree ? mainTopLevelOf(parsed.commonDir, parsed.topLevel) : parsed.topLevel;
  let config: TrustedConfig | undefined;
  const trustedConfig = async (): Promise<TrustedConfig> =>
    (config ??= judgeConfig(
      await readEntries(),
      { ...parsed, otherTopLevels: [mainTopLevel] },
      !isUnguarded,
    ));
  return {
    ...parsed,
    isWorktree,
    isUnguarded,
    mainTopLevel,
    configEntries: readEntries,
    trustedConfig,
    statusFilters: async () => (isUnguarded ? CONFIGURED_FILTERS : trustedConfig()),
  };
}

/** Returns the checkout's paths for git calls that must not search for it. */
export function pathsOf(repository: Pick<Repository, 'gitDir' | 'commonDir' | 'topLevel'>): GitPaths {
  return { gitDir: repository.gitDir, commonDir: repository.commonDir, workTree: repository.topLevel };
}

const REV_PARSE = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--show-toplevel',
  '--is-bare-repository',
  '--git-common-dir',
  '--is-bare-repository',
  '--absolute-git-dir',
  '--is-bare-repository',
  'HEAD^{commit}',
  '--all',
  '--symbolic-full-name',
  'HEAD',
  '--is-bare-repository',
  // Names of the references, in the order of their ids.
  '--symbolic',
  '--all',
];

interface RevParsed {
  readonly topLevel: string;
  readonly commonDir: string;
  readonly gitDir: string;
  readonly headSha: string;
  readonly branch: string | undefined;
  readonly knownTips: readonly string[];
  readonly references: ReadonlyMap<string, string> | undefined;
}

function parseRevParse({ stdout, exitCode }: GitResult): RevParsed | undefined {
  if (exitCode !== 0 || !stdout.startsWith('false\n')) return undefined;
  const [topLevel, commonDir, gitDir, head, listed] = stdout.slice('false\n'.length).split(SEPARATOR);
  const [headSha, ...tips] = head?.trimEnd().split('\n') ?? [];
  const reference = tips.pop();
  if (
    topLevel === undefined ||
    commonDir === undefined ||
    gitDir === undefined ||
    headSha === undefined ||
    reference === undefined ||
    listed === undefined
  ) {
    return undefined;
  }
  const prefix = 'refs/heads/';
  const branch = reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
  const names = listed.split('\n').filter((name) => name !== '');
  const references =
    names.length === tips.length ? new Map(names.map((name, index) => [name, tips[index] ?? ''])) : undefined;
  return { topLevel, commonDir, gitDir, headSha, branch, knownTips: [...new Set(tips)], references };
}

function mainTopLevelOf(commonDir: string, topLevel: string): string {
  // A bare repository, or one with a git directory elsewhere, has no main checkout that can be
  // derived from its path.
  return basename(commonDir) === '.git' ? dirname(commonDir) : topLevel;
}

/**
 * Git resolves the path again. A guest that replaces the folder in the meantime would lead it to
 * another repository.
 */
function assertSameCheckout(start: string, topLevel: string): void {
  if (start === topLevel || isPathWithin(topLevel, start)) return;
  throw new RepositoryError(
    `Expected \`cwd\` \`${start}\` to be below the checkout that git found, \`${topLevel}\`. The folder was replaced while it was opened. Check what writes there, then run again.`,
    { code: 'unsafe-path' },
  );
}

async function assertDirectory(start: string, cwd: string): Promise<void> {
  const found = await stat(start).catch((cause: unknown) => {
    throw new CwdError(
      `Expected \`cwd\` to be a directory, but \`${cwd}\` does not exist or cannot be read. Pass the path of a git repository.`,
      { cwd, cause },
    );
  });
  if (found.isDirectory()) return;
  throw new CwdError(
    `Expected \`cwd\` to be a directory, but \`${cwd}\` is a file. Pass the path of a git repository.`,
    { cwd },
  );
}

async function diagnose(found: GitResult, call: GitCallOptions & { cwd: string }): Promise<RepositoryError> {
  const { cwd } = call;
  const args = ['rev-parse', '--is-bare-repository', '--is-inside-work-tree'];
  const looked = await git(args, call);
  if (looked.exitCode !== 0) {
    return new RepositoryError(
      `Expected \`cwd\` to be in a git repository, but \`${cwd}\` is not. Run \`git init && git commit --allow-empty -m "Begin"\` there, or pass another \`cwd\`.`,
      { code: 'not-a-repository', exitCode: looked.exitCode, stderrTail: looked.stderr },
    );
  }
  const [isBare, isInWorkTree] = looked.stdout.split('\n');
  if (isBare === 'true' || isInWorkTree !== 'true') {
    return new RepositoryError(
      `Expected \`cwd\` to be a checkout, but \`${cwd}\` is in a bare repository or a git directory. Run \`git worktree add <path>\` there, and pass that path as \`cwd\`.`,
      { code: 'bare' },
    );
  }
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], call);
  if (head.exitCode === 0) return gitFailed(REV_PARSE, found, cwd);
  return new RepositoryError(
    `Expected the repository of \`${cwd}\` to have a commit to start from, but it has none. Run \`git commit --allow-empty -m "Begin"\` there.`,
    { code: 'no-commit' },
  );
}
