/**
 * Publication of another job's work: checks its value and the paths of its patch, and pushes one commit.
 * Writes no file of the checkout, and starts neither hooks nor agents.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertBranchName } from 'truecast/internal/git/command/branch-name';
import { GIT_TIMEOUT_MS, gitOutput, type GitOptions } from 'truecast/internal/git/command/git';
import { openRepository, pathsOf } from 'truecast/internal/git/repository/repository';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';
import { loadSchema } from '../flags/load-schema.ts';
import { inputLines, inputOf } from './action-inputs.ts';
import { isAllowedPath } from './allowed-paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_VALUE_BYTES = 64 * 1024 * 1024;
const DEFAULT_TITLE = 'Changes by an agent';

/** Inputs of the step that publishes. @internal */
export const PUBLISH_INPUTS: readonly string[] = [
  'patch-file',
  'value-file',
  'schema',
  'allow-paths',
  'branch',
  'title',
  'cwd',
];

/**
 * Publishes the patch of the inputs. Returns the outputs: `status` is `published`, or `unchanged` without a
 * patch.
 *
 * @throws UsageError for a missing input or a value that its schema refuses; RepositoryError `unsafe-path`
 *   for a path that `allow-paths` does not name
 */
export async function publishPatch(
  env: Environment,
  tell: (line: string) => void,
): Promise<Readonly<Record<string, string>>> {
  await assertValue(env);
  const patch = inputOf(env, 'patch-file');
  if (patch === undefined || !existsSync(patch)) {
    tell('There is no patch: nothing is published.');
    return { status: 'unchanged' };
  }
  const branch = inputOf(env, 'branch');
  if (branch === undefined) throw new UsageError('Expected the input `branch`: the branch to push.');
  assertBranchName(branch);
  const allowed = inputLines(env, 'allow-paths').map((line) => line.trim());
  const folder = await mkdtemp(join(tmpdir(), 'truecast-publish-'));
  try {
    const repository = await openRepository(inputOf(env, 'cwd') ?? '.', { timeoutMs: GIT_TIMEOUT_MS });
    const call: GitOptions = {
      cwd: repository.topLevel,
      paths: pathsOf(repository),
      timeoutMs: GIT_TIMEOUT_MS,
      // A separate index leaves the checkout unchanged.
      indexFile: join(folder, 'index'),
    };
    await gitOutput(['read-tree', 'HEAD'], call);
    await gitOutput(['apply', '--cached', '--whitespace=nowarn', resolve(patch)], call);
    const paths = assertAllowed(await gitOutput(CHANGED, call), allowed);
    const commit = await commitIndex(inputOf(env, 'title') ?? DEFAULT_TITLE, call, env);
    await gitOutput(['push', '--quiet', '--no-verify', 'origin', `${commit}:refs/heads/${branch}`], call);
    tell(`Pushed ${paths.length} changed path${paths.length === 1 ? '' : 's'} to ${branch}.`);
    return { status: 'published', branch, commits: JSON.stringify([commit]) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each changed path with its modes. A rename is a removal and an addition. */
const CHANGED = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--full-index', 'HEAD', '--'];

/** Modes of links and of submodules, which lead outside of the checked paths. */
const LEADING: readonly string[] = ['120000', '160000'];

/** @throws RepositoryError `unsafe-path` */
function assertAllowed(listed: string, allowed: readonly string[]): readonly string[] {
  const fields = listed.split('\0').filter((field) => field !== '');
  const changes = Array.from({ length: fields.length / 2 }, (_, index) => {
    const [, mode = ''] = (fields[index * 2] ?? '').split(' ');
    return { mode, path: fields[index * 2 + 1] ?? '' };
  });
  for (const { mode, path } of changes) {
    if (LEADING.includes(mode)) {
      throw new RepositoryError(
        `The patch adds \`${path}\`, which is a link or a submodule. Neither is published. Add it by hand.`,
        { code: 'unsafe-path' },
      );
    }
    // A name that is no UTF-8 could be read as another one.
    if (path.includes('\uFFFD') || !isAllowedPath(path, allowed)) {
      throw new RepositoryError(
        `The patch changes \`${path}\`, which no line of \`allow-paths\` matches. Add a line for it, or tell the agent not to change it. A pattern matches a name that begins with a dot only if it contains the dot.`,
        { code: 'unsafe-path' },
      );
    }
  }
  return changes.map(({ path }) => path);
}

async function commitIndex(title: string, call: GitOptions, env: Environment): Promise<string> {
  const tree = (await gitOutput(['write-tree'], call)).trim();
  const author = env['GITHUB_ACTOR'] || 'truecast';
  const config = [`user.name=${author}`, 'user.email=', 'commit.gpgSign=false'];
  const args = ['commit-tree', tree, '-p', 'HEAD', '-m', title];
  return (await gitOutput(args, { ...call, config })).trim();
}

/** Validates the value with the schema once more: another job wrote it. */
async function assertValue(env: Environment): Promise<void> {
  const [path, reference] = [inputOf(env, 'value-file'), inputOf(env, 'schema')];
  if (path === undefined || reference === undefined) return;
  const schema = await loadSchema(reference);
  const parsed = parseJson(await readChosenFile(path, MAX_VALUE_BYTES));
  const { issues } = parsed.success
    ? await schema['~standard'].validate(parsed.value)
    : { issues: [{ message: 'It is not valid JSON.' }] };
  const [issue] = issues ?? [];
  if (issue === undefined) return;
  throw new UsageError(
    `The value in \`${path}\` does not match \`${reference}\`: ${issue.message} Nothing is published.`,
  );
}
