/** Owns how an event stands in a prompt: one line, its words in quotation marks, so that no text can pass for a part of the prompt. Pure. */
import type { LedgerEvent } from '../../ledger/ledger-event.ts';

/** The most that a prompt shows of one text, in UTF-16 units: some paragraphs. */
const MAX_CHARS = 1_000;
/** What is shown of a payload; the other fields stay their agent's own. */
const SHOWN_FIELDS = ['text', 'summary', 'goal'] as const;
const TURN_DIGITS = 3;

/** Returns the words of an event, or undefined where it has none. */
export function wordsOf({ payload }: LedgerEvent): string | undefined {
  const words = SHOWN_FIELDS.map((name) => payload[name]).find(
    (value) => typeof value === 'string' && value.trim() !== '',
  );
  return typeof words === 'string' ? words : undefined;
}

/** Shows an event as `[turn 003] ada (agent.spoke): "…"`. */
export function showEvent(event: LedgerEvent): string {
  const turn = String(event.turn).padStart(TURN_DIGITS, '0');
  return `[turn ${turn}] ${event.actor} (${event.kind}): ${quote(wordsOf(event) ?? '')}`;
}

/** Puts a text on one line, in quotation marks that it cannot close. */
export function quote(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return JSON.stringify(line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line);
}
