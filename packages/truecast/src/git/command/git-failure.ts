/** Errors of git calls that failed. Their code says if git had no space to write. Pure. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';

/** A call that failed, with the stderr of git and of its filters. */
interface FailedCall {
  readonly stderr: string;
  readonly exitCode?: number | undefined;
}

/** Git repeats the error of the system, in English. A remote repository has its own disk. */
const FULL =
  /^(?!remote:).*(?:: No space left on device|: Disk quota exceeded|write error\. Out of diskspace)\.?\s*$/mu;
/**
 * Writes to a file that was opened. Git leaves out the error of the system for files of a checkout, references and
 * configuration. A full disk, a full quota and a broken disk cause it: other reasons prevent the opening.
 */
const UNWRITTEN =
  /^(?:error|fatal): (?:unable to write (?:file |new.index file)|failed to write new configuration file |.*couldn't write '.*\.lock'\s*$)/mu;

/** Returns true if git failed because the disk or the quota of this host is full. */
export function hasNoSpace({ stderr }: Pick<FailedCall, 'stderr'>): boolean {
  return FULL.test(stderr) || UNWRITTEN.test(stderr);
}

/**
 * Creates the error of a failed call: `disk-full`, or `git-failed`.
 *
 * @param what - sentences that say which call failed
 * @param remedy - next step for `git-failed`
 */
export function failedCall(what: string, remedy: string, { stderr, exitCode }: FailedCall): RepositoryError {
  const evidence = { ...(exitCode !== undefined && { exitCode }), stderrTail: stderr.slice(-2_000) };
  if (!hasNoSpace({ stderr })) {
    return new RepositoryError(`${what} ${remedy}`, { code: 'git-failed', ...evidence });
  }
  const isKnown = FULL.test(stderr);
  const why = isKnown
    ? 'No space is left on the disk'
    : 'The disk cannot be written, probably because it is full';
  return new RepositoryError(`${what} ${why}. Free some space, then run again.`, {
    code: 'disk-full',
    ...evidence,
  });
}
