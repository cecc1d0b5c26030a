/** Work of a failed agent: sentences about the commits that it left behind. Pure. */
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';

/** Returns one sentence for the branch, and one for the commits outside of it. */
export function workOfFailure(error: unknown): readonly string[] {
  if (!EvidenceError.isInstance(error)) return [];
  const { branch, commits, recovered = [] } = error;
  const onBranch =
    branch === undefined || commits.length === 0
      ? []
      : [`The agent's commits are on the branch \`${branch}\`: ${commits.map(({ sha }) => sha).join(', ')}.`];
  const beside =
    recovered.length === 0
      ? []
      : [`Its other commits are kept as ${recovered.map(({ ref }) => `\`${ref}\``).join(', ')}.`];
  return [...onBranch, ...beside];
}
