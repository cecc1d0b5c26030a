/**
 * Live display of a run: short lines with a status row below on a terminal, only the lines
 * elsewhere.
 */
import { styleText } from 'node:util';
import type { RunEvent } from '../events/run-events.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { createRunView, type FinishedStep, type StepKind } from './run-view.ts';
import { columnsOfTerminal, isLiveTerminal, screenOf, type TerminalStream } from './terminal-screen.ts';
import {
  terminalSigns,
  columnsOf,
  fitToColumns,
  toTerminalText,
  wrapWords,
} from '../../support/terminal-text.ts';

export interface LiveDisplay {
  update(event: RunEvent): void;
  /** Shows the agent's stdout line by line. The text is already masked. */
  raw(text: string): void;
  /** Shows the remaining text and restores the terminal. Idempotent. */
  close(): void;
}

export interface LiveDisplayOptions {
  readonly stream: TerminalStream;
  readonly mask: SecretMask;
  readonly maxAttempts: number;
  readonly maxIterations: number;
  /** Prefix of each line, to distinguish concurrent runs. */
  readonly name?: string | undefined;
}

const STYLES = {
  done: 'green',
  failed: 'red',
  said: 'cyan',
  note: 'gray',
  warning: 'yellow',
} as const satisfies Readonly<Record<StepKind, string>>;

const MIN_COLUMNS = 20;

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
    (isLive ? fitted(step, prefix, columnsOfTerminal(stream)) : [whole(step, prefix)]).forEach(print);
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
  return `${prefix}${terminalSigns()[kind]} ${text}${suffix === undefined ? '' : ` (${suffix})`}`;
}

/** Rows of a step. Most have one: the log contains the whole text. */
function fitted(
  { kind, text, suffix, isCopied }: FinishedStep,
  prefix: string,
  columns: number,
): readonly string[] {
  const sign = terminalSigns()[kind];
  const mark = `${prefix}${color(STYLES[kind], sign)}`;
  const width = Math.max(MIN_COLUMNS, columns - 1);
  const end = suffix === undefined ? '' : ` ${suffix}`;
  if (kind === 'failed' || kind === 'warning') {
    const start = columnsOf(`${prefix}${sign} `);
    const [first = '', ...rest] = wrapWords(`${text}${end}`, width - start);
    return [`${mark} ${first}`, ...rest.map((row) => ' '.repeat(start) + row)];
  }
  const shown = isCopied === true ? text : fitToColumns(text, width - columnsOf(`${prefix}${sign} ${end}`));
  return [`${mark} ${kind === 'note' ? dim(shown, true) : shown}${dim(end, true)}`];
}

function dim(text: string, isLive: boolean): string {
  return isLive && text !== '' ? color('dim', text) : text;
}

function color(style: Parameters<typeof styleText>[0], text: string): string {
  const isRefused = (process.env['NO_COLOR'] ?? '') !== '';
  return isRefused ? text : styleText(style, text, { validateStream: false });
}
