/**
 * Publication of a run's branch: pushes it to `origin` and opens a pull request with GitHub's `gh`.
 */
import { join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { git, gitOutput, programOf, type GitOptions } from '../../git/command/git.ts';
import { isThere } from '../../git/command/quarantine.ts';
import { pushArguments } from '../../git/remote/push-branch.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import { spawnCommand, type SpawnCommandResult } from '../../process/spawn-command.ts';
import { publishBase } from '../prepare/assert-publishable.ts';

/** Inputs of a publication. */
export interface PublishOptions {
  readonly worktree: LockedWorktree;
  /** The commit to push. The branch itself can move in the meantime. */
  readonly tip: string;
  readonly commits: readonly CommitRef[];
  /** The run's name, used as title of several commits. */
  readonly name?: string | undefined;
  /** Timeout of the push, and of each `gh` command. */
  readonly timeoutMs: number;
  readonly warn: (message: string) => void;
}

/**
 * Pushes the branch and opens a pull request, or finds the open one of the branch. Hooks of the host
 * do not run.
 *
 * @returns the address of the pull request
 * @throws RepositoryError `push-failed`, `pull-request-failed`: branch and worktree are kept
 */
export async function publishBranch(options: PublishOptions): Promise<string> {
  const { worktree, warn } = options;
  const { repository, branch = 'HEAD', strategy } = worktree;
  await push(options, branch);
  // Git LFS creates this folder with its first object.
  if (await isThere(join(worktree.commonDir, 'lfs', 'objects'))) {
    warn(
      `Objects of Git LFS are not pushed, because hooks are off. Run \`git lfs push origin ${branch}\` in \`${repository.topLevel}\`.`,
    );
  }
  const { title, body } = await describeCommits(options);
  const base = publishBase(strategy, repository);
  const args = ['pr', 'create', `--head=${branch}`, `--base=${base}`, `--title=${title}`, `--body=${body}`];
  const created = await runGh(args, options);
  // A branch that is published again has an open pull request, which the push has updated.
  const said = created.exitCode === 0 ? created.stdout : findExisting(created.stderr);
  const url = /https?:\/\/\S+/gu.exec(said)?.[0];
  if (url !== undefined) return url;
  throw new RepositoryError(
    `\`${branch}\` was pushed, but \`gh pr create\` failed with exit code ${created.exitCode}: ${cut((created.stderr || created.stdout).trim())} The branch is kept. To finish, run \`gh pr create --head ${branch} --base ${base}\` in \`${repository.topLevel}\`.`,
    { ...evidenceOf(options), code: 'pull-request-failed', stderrTail: created.stderr.slice(-2_000) },
  );
}

function findExisting(stderr: string): string {
  return stderr.includes('already exists') ? stderr : '';
}

async function push(options: PublishOptions, branch: string): Promise<void> {
  const pushed = await git(pushArguments('origin', { tip: options.tip, branch }), hostCall(options));
  if (pushed.exitCode === 0) return;
  throw new RepositoryError(
    `\`${branch}\` could not be pushed to \`origin\`: ${cut(pushed.stderr.trim())} The branch is kept. To finish, run \`git push origin ${branch}\` in \`${options.worktree.repository.topLevel}\`, and then \`gh pr create\`.`,
    { ...evidenceOf(options), code: 'push-failed', stderrTail: pushed.stderr.slice(-2_000) },
  );
}

function evidenceOf({ worktree, commits }: PublishOptions): Pick<RepositoryError, 'commits' | 'branch'> {
  return { commits: [...commits], ...(worktree.branch !== undefined && { branch: worktree.branch }) };
}

function hostCall({ worktree, timeoutMs }: PublishOptions): GitOptions {
  const { repository } = worktree;
  return { timeoutMs, cwd: repository.topLevel, paths: pathsOf(repository) };
}

const MAX_SUBJECTS = 100;

/** GitHub's limit is 256 characters. */
const MAX_TITLE_CHARS = 200;

/** Uses the commit messages: subject and body of a single commit, or the subjects of several. */
async function describeCommits(options: PublishOptions): Promise<{ title: string; body: string }> {
  const shas = options.commits.slice(0, MAX_SUBJECTS).map(({ sha }) => sha);
  const format = '--format=%s%x00%b%x01';
  const args = ['show', '--no-patch', '--no-show-signature', '--no-notes', format, ...shas];
  const messages = (await gitOutput(args, hostCall(options)))
    .split('\u0001')
    .slice(0, -1)
    .map((message) => message.trim().split('\0'));
  const [[subject = '', text = ''] = []] = messages;
  const title = (messages.length === 1 ? subject : (options.name ?? subject)) || 'Changes by an agent';
  const body = messages.length === 1 ? text : messages.map(([each = '']) => `- ${each}`).join('\n');
  return { title: title.slice(0, MAX_TITLE_CHARS), body: body.trim() };
}

/** Overrides for the git that `gh` starts. */
const NEUTRAL: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
];

async function runGh(args: readonly string[], options: PublishOptions): Promise<SpawnCommandResult> {
  const call = hostCall(options);
  const { env } = programOf([], call);
  const overrides: Readonly<Record<string, string>> = Object.fromEntries(
    NEUTRAL.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  const signal = AbortSignal.timeout(options.timeoutMs);
  try {
    return await spawnCommand({
      file: 'gh',
      args,
      cwd: call.cwd,
      env: {
        ...env,
        ...overrides,
        GIT_CONFIG_COUNT: String(NEUTRAL.length),
        GH_PROMPT_DISABLED: '1',
        GH_NO_UPDATE_NOTIFIER: '1',
        NO_COLOR: '1',
      },
      signal,
    });
  } catch (error) {
    const reason = signal.aborted ? `did not exit within ${options.timeoutMs} ms` : cut(String(error));
    throw new RepositoryError(
      `The branch was pushed, but \`gh pr create\` ${reason}. The branch is kept. Open the pull request by hand, or raise \`timeouts.publishMs\`.`,
      { ...evidenceOf(options), code: 'pull-request-failed', cause: error },
    );
  }
}
