/** Owns the one line on a terminal that shows an answer while it is written. */
import type { Terminal } from '../print.ts';

/** The line. */
export interface PartialLine {
  /** False where stderr is no terminal: then nothing is shown. */
  readonly isShown: boolean;
  /** Shows the end of a text. */
  show(text: string): void;
  /** Shows what came so far with this piece. */
  add(piece: string): void;
  clear(): void;
}

const DEFAULT_COLUMNS = 80;

/** Makes the line on stderr. Control characters of an answer never reach the terminal. */
export function createPartialLine({ stderr }: Terminal): PartialLine {
  const isShown = stderr.isTTY === true;
  let text = '';
  const show = (whole: string): void => {
    if (!isShown) return;
    const width = (stderr.columns ?? DEFAULT_COLUMNS) - 2;
    const plain = whole.replaceAll(/\p{Cc}+/gu, ' ');
    stderr.write(`\r\u001B[2K${plain.length > width ? `…${plain.slice(1 - width)}` : plain}`);
  };
  return {
    isShown,
    show,
    add: (piece) => {
      text += piece;
      show(text);
    },
    clear: () => {
      if (isShown) stderr.write('\r\u001B[2K');
    },
  };
}
