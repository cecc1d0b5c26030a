/** End of a run whose sandbox did not start: its log contains the reason. */
import { attachEvidence } from '@truecast/core/internal/errors/base/run-evidence';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { Repository } from '../../git/repository/repository.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { RunContext } from '../context/run-context.ts';

/**
 * Writes the log of a run that could not open its place, and returns the error with the log's path.
 * Without a log of its own name, other errors are not logged: another run can be using the
 * branch.
 */
export async function endUnopenedRun(
  context: RunContext,
  repository: Repository,
  error: unknown,
): Promise<unknown> {
  const { options, log, emit, mask } = context;
  const { branchStrategy, logging } = options;
  const isNamed = logging.type === 'file' && logging.path !== undefined;
  if (!SandboxError.isInstance(error) && !isNamed) return error;
  try {
    await log.open(branchStrategy.type === 'branch' ? branchStrategy.branch : repository.branch);
  } catch {
    // The reason why the sandbox did not start is more important than its log.
    return error;
  }
  const evidence = { commits: [], ...(log.path !== undefined && { logFilePath: log.path }) };
  const failure = maskValue(SandboxError.isInstance(error) ? attachEvidence(error, evidence) : error, mask);
  emit({ type: 'run-end', evidence, error: failure });
  return failure;
}
