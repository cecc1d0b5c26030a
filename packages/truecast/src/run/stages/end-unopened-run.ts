/** End of a run whose sandbox did not start: its log contains the reason. */
import { attachEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { Repository } from '../../git/repository/repository.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { RunContext } from '../context/run-context.ts';

/**
 * Writes the log of a run that could not open its place, and returns the error with the log's path.
 * Repository errors are not logged, because another run can be using the branch.
 */
export async function endUnopenedRun(
  context: RunContext,
  repository: Repository,
  error: unknown,
): Promise<unknown> {
  if (!SandboxError.isInstance(error)) return error;
  const { options, log, emit, mask } = context;
  const { branchStrategy } = options;
  try {
    await log.open(branchStrategy.type === 'branch' ? branchStrategy.branch : repository.branch);
  } catch {
    // The reason why the sandbox did not start is more important than its log.
    return error;
  }
  const evidence = { commits: [], ...(log.path !== undefined && { logFilePath: log.path }) };
  const failure = maskValue(attachEvidence(error, evidence), mask);
  emit({ type: 'run-end', evidence, error: failure });
  return failure;
}
