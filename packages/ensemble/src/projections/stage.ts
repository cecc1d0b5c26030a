/** Stage projection: the newest state of a run, as an observer sees it. Pure. */
import { CONDUCTOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { entriesOf, type Fold, textOf } from '../ledger/fold.ts';

/** The visible state of a run. */
export interface Stage {
  readonly seed: string;
  readonly goal: string;
  readonly scene: string;
  /** The latest speech of the cast, oldest first. Beliefs and thoughts are private. */
  readonly notes: readonly StageNote[];
  readonly verdicts: readonly StageNote[];
  /** Messages of visitors. */
  readonly injected: readonly StageNote[];
}

export interface StageNote {
  readonly turn: number;
  readonly actor: string;
  readonly kind: string;
  readonly text: string;
  /** Strings, numbers and flags of the event, such as a mood. Thoughts are private. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

const NOTES = 8;
const VERDICTS = 5;
const INJECTED = 5;

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
 * @public
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
  const note = { turn, actor, kind, text, fields: fieldsIn(payload) };
  if (kind === 'world.observed') return { ...stage, scene: text };
  if (kind === 'judge.verdict') return { ...stage, verdicts: [...stage.verdicts, note].slice(-VERDICTS) };
  if (kind === 'user.injected') return { ...stage, injected: [...stage.injected, note].slice(-INJECTED) };
  return actor === CONDUCTOR ? stage : { ...stage, notes: [...stage.notes, note].slice(-NOTES) };
}

const PRIVATE_FIELDS: ReadonlySet<string> = new Set(['text', 'thought']);

function fieldsIn(payload: LedgerEvent['payload']): StageNote['fields'] {
  return Object.fromEntries(
    entriesOf(payload).flatMap(([name, value]): (readonly [string, string | number | boolean])[] => {
      const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return isShown && !PRIVATE_FIELDS.has(name) && !name.startsWith('_') ? [[name, value]] : [];
    }),
  );
}
