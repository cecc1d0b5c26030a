/** Single terminal line that shows the answer while it is written. */
import { toTerminalText } from '../../support/terminal-text.ts';
import type { Terminal } from '../terminal/print.ts';

/** A line on a terminal. */
export interface PartialLine {
  /** False if stderr is not a terminal. Nothing is shown then. */
  readonly isShown: boolean;
  /** Shows the end of a text. */
  show(text: string): void;
  /** Appends a piece and shows the end of the text. */
  add(piece: string): void;
  clear(): void;
}

const DEFAULT_COLUMNS = 80;

/** Creates the line on stderr. Control characters of an answer never reach the terminal. */
export function createPartialLine({ stderr }: Terminal): PartialLine {
  const isShown = stderr.isTTY === true;
  let text = '';
  const show = (whole: string): void => {
    if (!isShown) return;
    const width = (stderr.columns ?? DEFAULT_COLUMNS) - 2;
    const plain = toTerminalText(whole);
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
