/**
 * Terminal display of a run: styled lines, with a status row below that names the current agent.
 */
import { styleText } from 'node:util';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import {
  columnsOfTerminal,
  isLiveTerminal,
  screenOf,
  type TerminalStream,
} from 'truecast/internal/run/logging/terminal-screen';
import { toTerminalText } from 'truecast/internal/support/terminal-text';
import { createEnsembleView, type EnsembleViewOptions } from './ensemble-view.ts';
import type { ViewLine, ViewPart, ViewTone } from './view-line.ts';

export interface EnsembleDisplay {
  update(event: LedgerEvent): void;
  /** Shows the called agents, the turn and the elapsed time on the last row. */
  asking(name: string, turn: number): void;
  /** Shows the growing text of a member's answer. Absent if the stream is not a live terminal. */
  readonly saying?: (name: string, text: string) => void;
  /** Restores the terminal. Idempotent. */
  close(): void;
}

const STYLES = {
  plain: [],
  title: ['bold'],
  name: ['bold', 'cyan'],
  good: ['green'],
  doubtful: ['yellow'],
  bad: ['red'],
  quiet: ['gray'],
  verdict: ['bold', 'magenta'],
} as const satisfies Readonly<Record<ViewTone, readonly string[]>>;

export function createEnsembleDisplay(
  stream: TerminalStream,
  options: Omit<EnsembleViewOptions, 'columns'>,
): EnsembleDisplay {
  const view = createEnsembleView({ ...options, columns: columnsOfTerminal(stream) });
  const screen = isLiveTerminal(stream) ? screenOf(stream) : undefined;
  const owner = {};
  const isStyled = screen !== undefined && (process.env['NO_COLOR'] ?? '') === '';
  const print = (line: ViewLine): void => {
    const text = line.map((part) => (isStyled ? styled(part) : part.text)).join('');
    if (screen === undefined) stream.write(`${text.trimEnd()}\n`);
    else screen.print(text);
  };
  /** Members whose models are called now. */
  const thinking = new Map<string, { readonly startedMs: number; readonly text: string }>();
  const seconds = (startedMs: number): number => Math.floor((performance.now() - startedMs) / 1_000);
  const names = (): string =>
    [...thinking]
      .map(([name, { startedMs, text }]) => `${toTerminalText(name)} ${seconds(startedMs)} s${preview(text)}`)
      .join(', ');
  return {
    update(event) {
      const { agent } = event.payload;
      if (event.kind !== 'model.called') thinking.delete(typeof agent === 'string' ? agent : event.actor);
      view.show(event).forEach(print);
    },
    asking(name, turn) {
      thinking.set(name, { startedMs: performance.now(), text: '' });
      screen?.show(owner, () => `… ${names()} · ${view.status(turn)}`);
    },
    ...(screen !== undefined && {
      saying: (name: string, text: string) => {
        const now = thinking.get(name);
        if (now !== undefined) thinking.set(name, { ...now, text });
      },
    }),
    close: () => screen?.leave(owner),
  };
}

/** The row has room for the end of a text. */
const PREVIEW_CHARS = 40;

function preview(text: string): string {
  const line = toTerminalText(text.replaceAll(/\s+/gu, ' '));
  if (line === '') return '';
  return ` “${line.length > PREVIEW_CHARS ? `…${line.slice(-PREVIEW_CHARS)}` : line}”`;
}

/** Colors of the cast, assigned in turn. Colors with another meaning are excluded. */
const VOICES = ['cyan', 'blueBright', 'magentaBright', 'greenBright', 'yellowBright', 'cyanBright'] as const;

function styled({ text, tone, seat }: ViewPart): string {
  const voice = seat === undefined ? undefined : VOICES[seat % VOICES.length];
  const styles = voice === undefined ? STYLES[tone] : (['bold', voice] as const);
  // The target stream already decided whether to style. Validation would check stdout instead.
  return styles.length === 0 ? text : styleText([...styles], text, { validateStream: false });
}
