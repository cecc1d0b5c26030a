/** Owns writing the view of a run to a terminal: styled lines, and below them a row that says who is being asked. */
import { styleText } from 'node:util';
import type { LedgerEvent } from '../../ensemble/ledger/ledger-event.ts';
import {
  columnsOfTerminal,
  isLiveTerminal,
  screenOf,
  type TerminalStream,
} from '../../run/logging/terminal-screen.ts';
import { toTerminalText } from '../../run/logging/terminal-text.ts';
import { createEnsembleView, type EnsembleViewOptions } from './ensemble-view.ts';
import type { ViewLine, ViewPart, ViewTone } from './view-line.ts';

/** Shows one run. */
export interface EnsembleDisplay {
  update(event: LedgerEvent): void;
  /** Says on the last row who is being asked, in which turn, and for how long already. */
  asking(name: string, turn: number): void;
  /** Gives the terminal back. May be called twice. */
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

/** Begins to show a run. */
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
  return {
    update: (event) => view.show(event).forEach(print),
    asking(name, turn) {
      const startedMs = performance.now();
      const seconds = (): number => Math.floor((performance.now() - startedMs) / 1_000);
      screen?.show(owner, () => `… ${toTerminalText(name)} ${seconds()} s · ${view.status(turn)}`);
    },
    close: () => screen?.leave(owner),
  };
}

/** One for each of the cast, in turn; those that mean something elsewhere are left out. */
const VOICES = ['cyan', 'blueBright', 'magentaBright', 'greenBright', 'yellowBright', 'cyanBright'] as const;

function styled({ text, tone, seat }: ViewPart): string {
  const voice = seat === undefined ? undefined : VOICES[seat % VOICES.length];
  const styles = voice === undefined ? STYLES[tone] : (['bold', voice] as const);
  // Whether to style was decided by the stream that is written to; this would ask stdout.
  return styles.length === 0 ? text : styleText([...styles], text, { validateStream: false });
}
