/** Pipe of a child: writes the text that the child reads beside its stdin. */
import type { ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';

/** Text for the last pipe of a child. */
interface PipedText {
  readonly pipedText?: string | undefined;
  /** Is awaited with the child's id before it gets the text. The child is killed when this rejects. */
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
    // Without its text the program must not go on.
    () => child.kill('SIGKILL'),
  );
}
