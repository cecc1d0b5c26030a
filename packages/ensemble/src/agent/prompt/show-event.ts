/**
 * Renders an event in a prompt: one line with quoted text, so that no text can imitate the prompt.
 * Pure.
 */
import { clip } from '@truecast/core/internal/kit/describe-value';
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import type { CompleteManifest } from '../../manifest/agent-manifest.ts';
import type { AgentScenario } from '../../scenario/agent-scenario.ts';

/** Maximum length of one text in a prompt, in UTF-16 units: a few paragraphs. */
const MAX_CHARS = 1_000;
/** Payload fields that hold the text of an event. */
const TEXT_FIELDS = ['text', 'summary', 'goal'] as const;
const TURN_DIGITS = 3;

/** How an event is rendered. */
export interface ShownForm {
  /** Further payload fields to show. Others are private to their agent. @default none */
  readonly fields?: readonly string[];
  /** Maximum length of each text. @default 1000 */
  readonly maxChars?: number;
}

/** Returns the text of an event, or undefined if it has none. */
export function wordsOf({ payload }: LedgerEvent): string | undefined {
  const words = TEXT_FIELDS.map((name) => payload[name]).find(
    (value) => typeof value === 'string' && value.trim() !== '',
  );
  return typeof words === 'string' ? words : undefined;
}

/** Renders an event as `[turn 003] ada (agent.spoke): "…" · mood: "calm"`. */
export function showEvent(event: LedgerEvent, { fields = [], maxChars }: ShownForm = {}): string {
  const turn = String(event.turn).padStart(TURN_DIGITS, '0');
  const shown = [...new Set(fields)].flatMap((name) => {
    const value = Object.hasOwn(event.payload, name) ? event.payload[name] : undefined;
    return value === undefined ? [] : [` · ${name}: ${quoteValue(value, maxChars)}`];
  });
  const text = quoteLine(wordsOf(event) ?? '', maxChars);
  return `[turn ${turn}] ${event.actor} (${event.kind}): ${text}${shown.join('')}`;
}

/** Quotes a text on one line. The text cannot close the quotation. */
export function quoteLine(text: string, maxChars: number = MAX_CHARS): string {
  const line = text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return JSON.stringify(clip(line, maxChars));
}

function quoteValue(value: unknown, maxChars?: number): string {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return quoteLine(typeof value === 'string' ? value : JSON.stringify(value), maxChars);
}

/** Returns the fields of an event that are shown beside its text. */
export type FieldsOf = (event: LedgerEvent) => readonly string[];

/**
 * Shows the fields that the author's manifest publishes, and those that decide whether the agent
 * wakes.
 */
export function shownFields(
  { subscribesTo }: Pick<CompleteManifest, 'subscribesTo'>,
  { cast = [] }: AgentScenario,
): FieldsOf {
  const published = new Map(cast.map(({ name, publicFields = [] }) => [name, publicFields]));
  const waking = (kind: string): readonly string[] =>
    subscribesTo.flatMap((subscription) =>
      typeof subscription !== 'string' && subscription.kind === kind ? Object.keys(subscription.when) : [],
    );
  return ({ actor, kind }) => [...(published.get(actor) ?? []), ...waking(kind)];
}
