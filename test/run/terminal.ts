/** Runs a program on a real terminal in tests and types input. */
import { execa } from 'execa';

/** Options of a program on a terminal. */
export interface TerminalOptions {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Typed after the preceding text has appeared. */
  readonly typed?: readonly { readonly after: string; readonly keys: string }[];
}

/** Against a program that waits forever. Below the time limit of a test, so that its error is seen. */
const TIMEOUT_MS = 55_000;

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Runs Node with `args` on a pseudo-terminal and returns its output. */
export async function onTerminal({ args, cwd, typed = [] }: TerminalOptions): Promise<string> {
  // A terminal without a size has no room for a line.
  const line = `stty cols 100 rows 30; exec ${[process.execPath, ...args].map(quote).join(' ')}`;
  const child = execa('script', ['-qec', line, '/dev/null'], {
    cwd,
    stdin: 'pipe',
    all: true,
    reject: false,
    timeout: TIMEOUT_MS,
  });
  const waiting = [...typed];
  let shown = '';
  child.all.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [next] = waiting;
    if (next === undefined || !shown.includes(next.after)) return;
    waiting.shift();
    child.stdin.write(next.keys);
  });
  const { timedOut } = await child;
  // Its output is then empty or cut, which would look like a fault of the program.
  if (timedOut) throw new Error(`The program did not end within ${TIMEOUT_MS} ms. It has printed: ${shown}`);
  return shown;
}
