/** Lines of a run's view: text parts, each with a tone. Pure. */
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { wrapText } from '../../terminal/wrap-text.ts';

export type ViewLine = readonly ViewPart[];

export interface ViewPart {
  readonly text: string;
  readonly tone: ViewTone;
  /** Index in the cast of the named agent, from 0. Each index has its own color. */
  readonly seat?: number;
}

/** Purpose of a text. A terminal maps each tone to a style. */
export type ViewTone = 'plain' | 'title' | 'name' | 'good' | 'doubtful' | 'bad' | 'quiet' | 'verdict';

const INDENT = '  ';

/** Returns text below a speaker's name, wrapped at the terminal width. */
export function indented(words: string, width: number, tone: ViewTone): readonly ViewLine[] {
  return wrapText(words, width - INDENT.length).map((line) => [{ text: `${INDENT}${line}`, tone }]);
}

/** Returns secondary text that is not part of the play. */
export function quiet(words: string): ViewPart {
  return { text: words, tone: 'quiet' };
}

/** Returns a string field of a payload, or an empty string if it is absent. */
export function textIn(payload: LedgerEvent['payload'], name: string): string {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  return typeof value === 'string' ? value : '';
}
