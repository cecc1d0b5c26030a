/** Memory recall: the latest visible events, or the most salient ones. Pure. */
import type { LedgerEvent } from '../../ledger/ledger-event.ts';
import type { CompleteManifest } from '../../manifest/agent-manifest.ts';
import { wordsOf } from './show-event.ts';

/** Importance of event kinds, from 0 (irrelevant) to 1. */
export type ImportanceTable = Readonly<Record<string, number>>;

/** Unless a table overrides it. */
const CORE_IMPORTANCE: ImportanceTable = {
  'user.injected': 0.95,
  'judge.verdict': 0.9,
  'agent.reflected': 0.85,
  'world.observed': 0.7,
  'agent.spoke': 0.5,
  'agent.thought': 0.4,
  'run.started': 0.3,
};

/** Importance of any other kind. */
const DEFAULT_IMPORTANCE = 0.5;

const WEIGHTS = { relevance: 0.3, recency: 0.4, importance: 0.3 } as const;
/** Decay of recency: half after seven turns. */
const DECAY_PER_TURN = 0.1;

export interface RecallContext {
  readonly memory: CompleteManifest['memory'];
  readonly turn: number;
  /** The text that relevance is measured against. */
  readonly scene: string;
  readonly importance: ImportanceTable;
}

/** Returns the recalled events, oldest first. */
export function recall(events: readonly LedgerEvent[], context: RecallContext): readonly LedgerEvent[] {
  const { useSalience, salienceTopK, window } = context.memory;
  if (!useSalience) return events.slice(-window);
  const scene = wordSet(context.scene);
  const salience = new Map(events.map((event) => [event, salienceOf(event, scene, context)]));
  // The sort is stable: of equal events the later one is kept.
  const ranked = events
    .toReversed()
    .sort((one, other) => (salience.get(other) ?? 0) - (salience.get(one) ?? 0));
  const kept = new Set(ranked.slice(0, salienceTopK));
  return events.filter((event) => kept.has(event));
}

function salienceOf(event: LedgerEvent, scene: ReadonlySet<string>, context: RecallContext): number {
  const { turn, importance } = context;
  const weight = importance[event.kind] ?? CORE_IMPORTANCE[event.kind] ?? DEFAULT_IMPORTANCE;
  return (
    WEIGHTS.relevance * likeness(wordSet(wordsOf(event) ?? ''), scene) +
    WEIGHTS.recency * Math.exp(-DECAY_PER_TURN * Math.max(0, turn - event.turn)) +
    WEIGHTS.importance * weight
  );
}

/** Jaccard similarity of the word sets. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
