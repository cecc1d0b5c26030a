/** Owns showing a run while it goes on: on a terminal a row that changes and short lines above it, elsewhere the lines alone. */
import { styleText } from 'node:util';
import type { RunEvent } from '../run-events.ts';
import type { SecretMask } from './mask-secrets.ts';
import { createRunView, type FinishedStep, type StepKind } from './run-view.ts';
import { columnsOfTerminal, isLiveTerminal, screenOf, type TerminalStream } from './terminal-screen.ts';
import { columnsOf, fitToColumns, toTerminalText } from './terminal-text.ts';

/** Shows one run. */
export interface LiveDisplay {
  update(event: RunEvent): void;
  /** Shows the agent's stdout as it came, masked already, line by line. */
  raw(text: string): void;
  /** Shows what is left, and gives the terminal back. May be called twice. */
  close(): void;
}

/** What a display is made of. */
export interface LiveDisplayOptions {
  readonly stream: TerminalStream;
  readonly mask: SecretMask;
  readonly maxAttempts: number;
  readonly maxIterations: number;
  /** Stands before each line, so that runs at the same time can be told apart. */
  readonly name?: string | undefined;
}

const MARKS: Readonly<Record<StepKind, string>> = {
  done: '✓',
  failed: '✗',
  said: '●',
  note: '·',
  warning: '!',
};

const STYLES = {
  done: 'green',
  failed: 'red',
  said: 'cyan',
  note: 'gray',
  warning: 'yellow',
} as const satisfies Readonly<Record<StepKind, string>>;

const MIN_COLUMNS = 20;

/** Begins to show a run. */
export function createLiveDisplay(options: LiveDisplayOptions): LiveDisplay {
  const { stream } = options;
  const isLive = isLiveTerminal(stream);
  const screen = isLive ? screenOf(stream) : undefined;
  const owner = {};
  const prefix = options.name === undefined ? '' : `[${toTerminalText(options.name)}] `;
  const view = createRunView({ ...options, now: () => performance.now() });
  const print = (line: string): void => {
    if (screen === undefined) stream.write(`${line}\n`);
    else screen.print(line);
  };
  const printStep = (step: FinishedStep): void =>
    print(isLive ? fitted(step, prefix, columnsOfTerminal(stream)) : whole(step, prefix));
  let held = '';
  let isClosed = false;
  const describe = (): string => prefix + view.describe();
  screen?.show(owner, describe);
  return {
    update(event) {
      if (isClosed) return;
      view.apply(event).forEach(printStep);
      screen?.show(owner, describe);
    },
    raw(text) {
      if (isClosed) return;
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      for (const line of lines) print(dim(prefix + toTerminalText(line), isLive));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      if (held !== '') print(dim(prefix + toTerminalText(held), isLive));
      screen?.leave(owner);
    },
  };
}

function whole({ kind, text, suffix }: FinishedStep, prefix: string): string {
  return `${prefix}${MARKS[kind]} ${text}${suffix === undefined ? '' : ` (${suffix})`}`;
}

/** A row that wrapped would leave its first part behind; the log has all of it. */
function fitted({ kind, text, suffix }: FinishedStep, prefix: string, columns: number): string {
  const end = suffix === undefined ? '' : ` ${suffix}`;
  const room = Math.max(MIN_COLUMNS, columns - 1) - columnsOf(`${prefix}${MARKS[kind]} ${end}`);
  // Warnings and failures are worth several rows.
  const shown = kind === 'failed' || kind === 'warning' ? text : fitToColumns(text, room);
  const mark = color(STYLES[kind], MARKS[kind]);
  return `${prefix}${mark} ${kind === 'note' ? dim(shown, true) : shown}${dim(end, true)}`;
}

function dim(text: string, isLive: boolean): string {
  return isLive && text !== '' ? color('dim', text) : text;
}

function color(style: Parameters<typeof styleText>[0], text: string): string {
  const isRefused = (process.env['NO_COLOR'] ?? '') !== '';
  return isRefused ? text : styleText(style, text, { validateStream: false });
}
