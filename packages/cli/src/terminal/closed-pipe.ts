/** Closed-pipe handling: a reader such as `head` that disconnects ends the command quietly. */

/**
 * Listens to write errors of the process's streams. Without a listener Node prints a stack trace.
 *
 * A closed stdout stops work in progress as SIGTERM does, because its result has no reader. After a
 * closed stderr, which only shows progress, the work continues.
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

/** Returns true for the error of a write whose reader has disconnected. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
