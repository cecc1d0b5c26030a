/** Ledger: validates every append and reads events. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { isSameJson } from '@truecast/core/internal/schema/engine/evaluation/deep-equal';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { foldRunIndex, type RunSummary } from './run-index.ts';
import type { EventRows } from './event-rows.ts';
import { assertGranted, type GrantTable } from './grant-table.ts';
import type { EventProvenance, LedgerEvent } from './ledger-event.ts';
import { assertPayload } from './payload-rules.ts';
import { sealJson } from './seal-json.ts';
import { pagesOf, tailOf, type TailOptions } from './tail.ts';

/** An event as an actor appends it. The ledger adds actor, time and offset. */
export interface EventDraft {
  /**
   * Idempotency key: the same id with equal content returns the existing event, with other content
   * it is a `conflict`. @default a random UUID
   */
  readonly id?: string;
  readonly runId: string;
  readonly turn: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly causedBy?: string;
  readonly model?: string;
  readonly provenance?: EventProvenance;
}

/** Append handle of one actor. */
export interface LedgerHandle {
  /**
   * Appends an event as this actor. Durable when it resolves.
   *
   * @throws LedgerError `not-granted`, `invalid-event` or `conflict`, with nothing appended
   */
  append(draft: EventDraft): Promise<LedgerEvent>;
}

/** Append-only list of events over all runs. Events are deep-frozen. */
export interface Ledger {
  /**
   * Returns the handle of an actor, so that no event is appended in another's name.
   *
   * @throws LedgerError `unknown-actor` if no grant names it
   */
  as(actor: string): LedgerHandle;
  /** Reads the events of one run or all runs, oldest first, in pages. */
  read(runId?: string): AsyncIterable<LedgerEvent>;
  /**
   * Follows the ledger: yields every event with an offset above `fromOffset` once, in order.
   *
   * Ends when `signal` aborts and, with a `runId`, after that run's `run.finished`.
   */
  tail(fromOffset: number, options?: TailOptions): AsyncIterable<LedgerEvent>;
  /** Returns a summary of each run, ordered by start. */
  runs(): Promise<readonly RunSummary[]>;
}

export interface LedgerParts {
  readonly rows: EventRows;
  /** Allowed kinds of each actor. */
  readonly grants: GrantTable;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const RUN_KINDS = ['run.started', 'run.finished'];

/** Creates a ledger over any row storage. */
export function makeLedger({ rows, grants, clock }: LedgerParts): Ledger {
  return {
    as(actor) {
      const kinds = grants.get(actor);
      if (kinds === undefined) {
        throw new LedgerError(
          `Expected an actor with a grant (${[...grants.keys()].join(', ')}), got ${describeValue(actor)}. Name it in the cast.`,
          { code: 'unknown-actor' },
        );
      }
      return { append: async (draft) => await append(rows, { actor, kinds, draft, nowMs: clock() }) };
    },
    read: (runId) => pagesOf(rows, runId === undefined ? {} : { runId }),
    tail: (fromOffset, options = {}) => tailOf(rows, fromOffset, options),
    async runs() {
      const index = foldRunIndex();
      for await (const event of pagesOf(rows, { kinds: RUN_KINDS })) index.apply(event);
      return index.read();
    },
  };
}

interface Append {
  readonly actor: string;
  readonly kinds: ReadonlySet<string>;
  readonly draft: EventDraft;
  readonly nowMs: number;
}

async function append(rows: EventRows, { actor, kinds, draft, nowMs }: Append): Promise<LedgerEvent> {
  assertKind(draft, 'an object', 'event', 'Pass `{ runId, turn, kind, payload }`.');
  const { kind, runId, turn, causedBy, model, provenance } = draft;
  assertGranted(actor, kind, kinds);
  assertEnvelope(draft);
  const payload = sealJson(draft.payload);
  assertPayload(kind, payload);
  const event = {
    id: draft.id ?? crypto.randomUUID(),
    runId,
    turn,
    kind,
    actor,
    payload,
    createdAt: new Date(nowMs).toISOString(),
    schemaVersion: 1,
    ...(causedBy !== undefined && { causedBy }),
    ...(model !== undefined && { model }),
    ...(provenance !== undefined && { provenance: sealJson(provenance) }),
  } as const;
  const stored = await rows.append(event);
  const { offset: _offset, createdAt: _createdAt, ...there } = stored;
  const { createdAt: _now, ...wanted } = event;
  if (isSameJson(there, wanted)) return stored;
  throw new LedgerError(
    `Expected the id ${describeValue(event.id)} to be new, got the id of a \`${stored.kind}\` with different content. Play a run in one program only, and use each id once.`,
    { code: 'conflict' },
  );
}

const DRAFT_FIELDS: readonly string[] = [
  'id',
  'runId',
  'turn',
  'kind',
  'payload',
  'causedBy',
  'model',
  'provenance',
] satisfies (keyof EventDraft)[];

function assertEnvelope(draft: EventDraft): void {
  const { id, runId, turn, causedBy, model } = draft;
  const unknown = Object.keys(draft).find((name) => !DRAFT_FIELDS.includes(name));
  if (unknown !== undefined) refuseField(unknown, 'absent: put it into `payload`', 'a field');
  const texts = { id, runId, causedBy, model };
  for (const [name, value] of Object.entries(texts)) {
    if (value === undefined && name !== 'runId') continue;
    if (typeof value !== 'string' || value === '') refuseField(name, 'a non-empty string', value);
  }
  if (!Number.isSafeInteger(turn) || turn < 0) refuseField('turn', 'a non-negative integer', turn);
}

function refuseField(name: string, expected: string, got: unknown): never {
  throw new LedgerError(
    `Expected \`${name}\` of the event to be ${expected}, got ${describeValue(got)}. Correct it.`,
    { code: 'invalid-event' },
  );
}
