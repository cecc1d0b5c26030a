/** Owns the lines of a view of a run: words in parts, each with how it is meant. Pure. */
import type { LedgerEvent } from '../../ensemble/ledger/ledger-event.ts';
import { wrapText } from './wrap-text.ts';

/** A line in parts, each with how it is meant. */
export type ViewLine = readonly ViewPart[];

/** Some words of a line. */
export interface ViewPart {
  readonly text: string;
  readonly tone: ViewTone;
  /** Which of the cast is named, from 0: each has a colour of its own. */
  readonly seat?: number;
}

/** What words are for; a terminal gives each a style. */
export type ViewTone = 'plain' | 'title' | 'name' | 'good' | 'doubtful' | 'bad' | 'quiet' | 'verdict';

const INDENT = '  ';

/** Words below a speaker's name, broken where the terminal ends. */
export function indented(words: string, width: number, tone: ViewTone): readonly ViewLine[] {
  return wrapText(words, width - INDENT.length).map((line) => [{ text: `${INDENT}${line}`, tone }]);
}

/** Words that are beside the play. */
export function quiet(words: string): ViewPart {
  return { text: words, tone: 'quiet' };
}

/** A text of a payload; empty where there is none. */
export function textIn(payload: LedgerEvent['payload'], name: string): string {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  return typeof value === 'string' ? value : '';
}
