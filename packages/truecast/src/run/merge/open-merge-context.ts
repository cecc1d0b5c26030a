/** Inputs of merges: how their checks are run, and which secrets must not land. */
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { MergeOptions } from '../options/merge-options.ts';
import { completeTimeouts, policyOf } from '../options/place-options.ts';
import { resolveEnvironment } from '../prepare/run-environment.ts';
import { verificationPlace } from '../verify/verification-place.ts';
import type { MergeContext } from './merge-branch.ts';

/** A call that merges. */
export interface MergeCall extends Pick<MergeContext, 'signal' | 'warn'> {
  readonly repository: Repository;
  /** The agent whose branches are merged. It decides what the check's sandbox can reach. @default none */
  readonly agent?: AgentProvider;
}

/**
 * Resolves the environment, and prepares the sandbox of the check.
 *
 * @throws UsageError, RepositoryError as at the start of a run
 */
export async function openMergeContext(
  options: MergeOptions,
  { repository, agent, signal, warn }: MergeCall,
): Promise<MergeContext> {
  const { secretsInCommits, ...policies } = options.policies ?? {};
  const timeouts = completeTimeouts(options.timeouts);
  const { check, sandbox, env, hooks } = options;
  const place = { repository, env, hooks, timeouts, ...(agent !== undefined && { agent }) };
  const opening =
    check === undefined || sandbox === undefined ? undefined : await verificationPlace({ ...place, sandbox });
  const declared = await resolveEnvironment(
    {
      sandbox: { tag: 'none', env: sandbox?.env ?? {} },
      env,
      ...(agent !== undefined && { agent }),
    },
    repository,
  );
  return {
    options,
    repository,
    opening,
    secrets: declared.inside,
    timeouts,
    sensitiveChanges: policyOf({ policies }),
    secretsInCommits: secretsInCommits ?? 'error',
    signal,
    warn,
  };
}
