/**
 * Secrets in commits: a merge or a publication would keep a secret in the history, also if a later
 * commit removes it.
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import type { PolicyLevel } from '../../support/policy-level.ts';
import { createSecretSearch, type TextSearch } from '@truecast/host/internal/masking/secret-search';
import type { GitCallOptions } from '../../git/command/git.ts';
import { readAddedText, type AddedPlace, type AddedRange } from '../../git/landing/added-text.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';

/** Inputs of the search. */
export interface CommittedSecretsOptions extends GitCallOptions {
  readonly worktree: Pick<LockedWorktree, 'repository' | 'branch' | 'baseSha' | 'path'>;
  /** Declared variables of the run. */
  readonly env: Readonly<Record<string, string>>;
  readonly range: AddedRange;
  readonly policy: PolicyLevel;
  readonly warn: (message: string) => void;
}

const MAX_SHOWN = 5;

/**
 * Searches the commits that would land for declared secrets.
 *
 * @throws RepositoryError `secret-in-commits` with the paths; the errors of git
 */
export async function refuseSecrets(options: CommittedSecretsOptions): Promise<void> {
  const { worktree, range, policy, warn } = options;
  if (policy === 'allow') return;
  const places = await findCommittedSecrets(options);
  if (places.length === 0) return;
  const { branch = 'HEAD', baseSha, path } = worktree;
  const shown = places.slice(0, MAX_SHOWN).map(describePlace).join(', ');
  const rest = places.length > MAX_SHOWN ? ` and ${places.length - MAX_SHOWN} more` : '';
  const said = `The commits of \`${branch}\` contain a declared secret: ${shown}${rest}.`;
  if (policy === 'warn') return warn(`secret-in-commits: ${said} They landed.`);
  throw new RepositoryError(
    `${said} Nothing was merged or published, and the branch is kept. Remove the secret from each commit, such as with \`git rebase -i ${baseSha.slice(0, 12)}\` in \`${path}\`. Or allow it with \`policies.secretsInCommits: 'warn'\`.`,
    { code: 'secret-in-commits', cause: { tip: range.tip, places } },
  );
}

async function findCommittedSecrets({
  worktree,
  env,
  range,
  ...call
}: CommittedSecretsOptions): Promise<readonly AddedPlace[]> {
  const begin = createSecretSearch({ inside: withoutAuthors(env), host: process.env });
  if (begin === undefined) return [];
  const found: AddedPlace[] = [];
  let place: AddedPlace | undefined;
  let search: TextSearch | undefined;
  const close = (): void => {
    if (search?.end() === true && place !== undefined) found.push(place);
  };
  const listener = {
    start(next: AddedPlace): void {
      close();
      place = next;
      search = begin();
    },
    text: (piece: string): void => void search?.push(piece),
  };
  await readAddedText(worktree, range, listener, { timeoutMs: call.timeoutMs, signal: call.signal });
  close();
  return found;
}

/** Git writes these values into every commit. */
function withoutAuthors(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isAuthor = (name: string): boolean => /^GIT_(?:AUTHOR|COMMITTER)_|^EMAIL$/u.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isAuthor(name)));
}

function describePlace({ commit, path }: AddedPlace): string {
  const where = path === undefined ? 'the message' : `\`${cut(path)}\``;
  return `${where} of ${commit.slice(0, 12)}`;
}
