/** Pipe of a child: writes a text that the child reads in addition to its stdin. */
import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';

interface PipedText {
  readonly pipedText?: string | undefined;
  /**
   * Called with the child's process id, and awaited before the child gets the text. The child is
   * killed when this rejects.
   */
  readonly beforePipedText?: ((pid: number) => Promise<void>) | undefined;
}

/** Writes the text to the last pipe. A program that exits without reading it breaks the pipe. */
export function writePipe(child: ChildProcess, { pipedText, beforePipedText }: PipedText): void {
  if (pipedText === undefined) return;
  const pipe = child.stdio.findLast((stream) => stream !== null && stream !== undefined);
  if (!(pipe instanceof Writable)) return;
  pipe.on('error', () => undefined);
  if (beforePipedText === undefined || child.pid === undefined) {
    pipe.end(pipedText);
    return;
  }
  beforePipedText(child.pid).then(
    () => pipe.end(pipedText),
    // Without its text, the program must not continue.
    () => child.kill('SIGKILL'),
  );
}
