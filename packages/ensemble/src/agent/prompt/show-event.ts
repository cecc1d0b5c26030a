/**
 * Renders an event in a prompt: one line with quoted text, so that no text can imitate the prompt.
 * Pure.
 */
import type { LedgerEvent } from '../../ledger/ledger-event.ts';

/** Maximum length of one text in a prompt, in UTF-16 units: a few paragraphs. */
const MAX_CHARS = 1_000;
/** Payload fields that are shown. Other fields stay private to their agent. */
const SHOWN_FIELDS = ['text', 'summary', 'goal'] as const;
const TURN_DIGITS = 3;

/** Returns the text of an event, or undefined if it has none. */
export function wordsOf({ payload }: LedgerEvent): string | undefined {
  const words = SHOWN_FIELDS.map((name) => payload[name]).find(
    (value) => typeof value === 'string' && value.trim() !== '',
  );
  return typeof words === 'string' ? words : undefined;
}

/** Renders an event as `[turn 003] ada (agent.spoke): "…"`. */
export function showEvent(event: LedgerEvent): string {
  const turn = String(event.turn).padStart(TURN_DIGITS, '0');
  return `[turn ${turn}] ${event.actor} (${event.kind}): ${quoteLine(wordsOf(event) ?? '')}`;
}

/** Quotes a text on one line. The text cannot close the quotation. */
export function quoteLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return JSON.stringify(line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line);
}
