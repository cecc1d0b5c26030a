/**
 * Live display of a run: short lines with a status row below on a terminal, only the lines
 * elsewhere.
 */
import { styleText } from 'node:util';
import type { RunEvent } from '../events/run-events.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { createRunView, type FinishedStep, type StepKind } from './run-view.ts';
import { columnsOfTerminal, isLiveTerminal, screenOf, type TerminalStream } from './terminal-screen.ts';
import { terminalSigns, columnsOf, fitToColumns, toTerminalText } from '../../support/terminal-text.ts';

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
  return `${prefix}${terminalSigns()[kind]} ${text}${suffix === undefined ? '' : ` (${suffix})`}`;
}

/** A wrapped row would leave its first part behind. The log contains the whole text. */
function fitted({ kind, text, suffix }: FinishedStep, prefix: string, columns: number): string {
  const end = suffix === undefined ? '' : ` ${suffix}`;
  const room = Math.max(MIN_COLUMNS, columns - 1) - columnsOf(`${prefix}${terminalSigns()[kind]} ${end}`);
  // Warnings and failures can take several rows.
  const shown = kind === 'failed' || kind === 'warning' ? text : fitToColumns(text, room);
  const mark = color(STYLES[kind], terminalSigns()[kind]);
  return `${prefix}${mark} ${kind === 'note' ? dim(shown, true) : shown}${dim(end, true)}`;
}

function dim(text: string, isLive: boolean): string {
  return isLive && text !== '' ? color('dim', text) : text;
}

function color(style: Parameters<typeof styleText>[0], text: string): string {
  const isRefused = (process.env['NO_COLOR'] ?? '') !== '';
  return isRefused ? text : styleText(style, text, { validateStream: false });
}
