/** Owns the stage: what an onlooker sees of a run, the newest of each. Pure. */
import { CONDUCTOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { type Fold, textOf } from './fold.ts';

/** What stands on the stage. */
export interface Stage {
  readonly seed: string;
  readonly goal: string;
  readonly scene: string;
  /** What the cast said last, oldest first; beliefs and thoughts are not said. */
  readonly notes: readonly StageNote[];
  readonly verdicts: readonly StageNote[];
  /** What visitors said. */
  readonly injected: readonly StageNote[];
}

/** Something that was said. */
export interface StageNote {
  readonly turn: number;
  readonly actor: string;
  readonly kind: string;
  readonly text: string;
}

const NOTES = 8;
const VERDICTS = 5;
const INJECTED = 5;

/** What members keep to themselves. */
const PRIVATE_KINDS: ReadonlySet<string> = new Set(['agent.thought', 'agent.reflected']);

/**
 * Folds the stage of a run.
 *
 * @example
 * ```ts
 * const stage = foldStage();
 * for await (const event of memoryLedger().tail(0, { runId: 'run-1' })) {
 *   stage.apply(event);
 *   console.log(stage.read().scene);
 * }
 * ```
 */
export function foldStage(): Fold<Stage> {
  let stage: Stage = { seed: '', goal: '', scene: '', notes: [], verdicts: [], injected: [] };
  return {
    apply(event) {
      stage = withEvent(stage, event);
    },
    read: () => stage,
  };
}

function withEvent(stage: Stage, event: LedgerEvent): Stage {
  const { kind, actor, turn, payload } = event;
  if (kind === 'run.started') {
    const goal = textOf(payload, 'goal') ?? '';
    return { ...stage, seed: textOf(payload, 'seed') ?? '', goal, scene: goal };
  }
  const text = textOf(payload, 'text');
  if (text === undefined || PRIVATE_KINDS.has(kind)) return stage;
  const note = { turn, actor, kind, text };
  if (kind === 'world.observed') return { ...stage, scene: text };
  if (kind === 'judge.verdict') return { ...stage, verdicts: [...stage.verdicts, note].slice(-VERDICTS) };
  if (kind === 'user.injected') return { ...stage, injected: [...stage.injected, note].slice(-INJECTED) };
  return actor === CONDUCTOR ? stage : { ...stage, notes: [...stage.notes, note].slice(-NOTES) };
}
