/** Search of the commits of a run for secrets, before a push would keep them in the history of the remote. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { declaredValues, processSecrets } from '@truecast/host/internal/masking/secret-values';
import type { GitCallOptions } from 'truecast/internal/git/command/git';
import type { RemoteClone } from 'truecast/internal/git/remote/remote-clone';
import { openRepository } from 'truecast/internal/git/repository/repository';
import { readEnvFile } from 'truecast/internal/run/prepare/env-file';
import { refuseSecrets } from 'truecast/internal/run/settle/refuse-secrets';

/** Commits after `base`, without those that were pushed before. */
export interface PushedRange {
  readonly branch: string;
  readonly tip: string;
  readonly base: string;
  readonly pushed?: string | undefined;
}

/**
 * Returns where a commit has a value of the environment file of the clone, or a secret of this process. Undefined
 * without one. The text has no secret.
 *
 * @throws RepositoryError for a failure of git; the signal's reason
 */
export async function findPushedSecret(
  { path }: Pick<RemoteClone, 'path'>,
  { branch, tip, base, pushed }: PushedRange,
  call: GitCallOptions,
): Promise<string | undefined> {
  if (tip === base) return undefined;
  const repository = await openRepository(path, call);
  const env = (await readEnvFile(repository)) ?? {};
  const without = pushed === undefined ? [base] : [base, pushed];
  try {
    await refuseSecrets({
      ...call,
      worktree: { repository, branch, baseSha: base, path },
      env,
      range: { tip, without },
      policy: 'error',
      warn: () => undefined,
    });
    return undefined;
  } catch (error) {
    if (!RepositoryError.isInstance(error) || error.code !== 'secret-in-commits') throw error;
    const { mask } = createSecretMask([...declaredValues(env), ...processSecrets()]);
    // The rest of the message is about merges.
    return mask(error.message.split(' Nothing was merged')[0] ?? '');
  }
}
