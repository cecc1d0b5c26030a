/** Closed-pipe handling: a reader such as `head` that disconnects ends the command quietly. */

/**
 * Listens to write errors of the process's streams. Without a listener Node prints a stack trace.
 *
 * Work in progress is stopped as by SIGTERM, because its result has no reader. On stderr, where only
 * progress is written, the work continues.
 */
export function endWithReader({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  stdout.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit();
  });
  stderr.on('error', (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}

/** Returns true for the error of a write whose reader is gone. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
