/** Sample run of an ensemble on the ledger of a server, for the console's stage. */
import { openStore } from '../../packages/store/src/open-store.ts';

const AT_ONCE = 500;
const LINES = [
  ['hedda', 'agent.spoke', { text: 'Under the pier a bell rings, and nobody rings it.', mood: 'calm' }],
  ['ivo', 'agent.thought', { text: 'She knows more than she says.' }],
  [
    'ivo',
    'agent.spoke',
    { text: 'Above the dry canal a kettle sings. <img src=x onerror="document.title=1">' },
  ],
  [
    'pilot',
    'judge.verdict',
    { text: 'Hedda leads by a bell.', winner: 'hedda', scores: { hedda: 10, ivo: 4 } },
  ],
] as const;
const PROVENANCE = { path: 'validated', rung: 'validated', attempts: 2, repairs: [{ kind: 'trimmed' }] };
const CAST = {
  hedda: { role: 'worker', model: 'qwen3' },
  ivo: { role: 'worker', model: 'gemma3' },
  pilot: { role: 'judge', model: 'qwen3' },
};

/** An event to append. */
export interface SampleEvent {
  readonly turn: number;
  readonly actor: string;
  readonly kind: string;
  readonly payload: object;
  /** Id of the event that it answers. */
  readonly causedBy?: string;
}

/** First event of a run. */
export const SAMPLE_START: SampleEvent = {
  turn: 0,
  actor: 'conductor',
  kind: 'run.started',
  payload: {
    scenario: 'The museum boat',
    seed: 'a spring flood',
    goal: 'Save the boat.',
    cast: CAST,
    competition: { kind: 'judged' },
  },
};

/** Last event of a run. */
export const SAMPLE_END: SampleEvent = {
  turn: 9,
  actor: 'conductor',
  kind: 'run.finished',
  payload: { reason: 'verdict', winner: 'hedda', winners: ['hedda'], winning_models: ['qwen3'] },
};

/** Appends a finished run with this number of lines to the ledger of a database. */
export async function appendSampleRun(databaseUrl: string, runId: string, lines: number): Promise<void> {
  const events = Array.from({ length: lines }, (_none, index) => {
    const [actor, kind, payload] = LINES[index % LINES.length] ?? LINES[0];
    return { turn: Math.floor(index / LINES.length), actor, kind, payload };
  });
  await appendEvents(databaseUrl, runId, [SAMPLE_START, ...events, { ...SAMPLE_END, turn: lines }]);
}

/** Appends events to a run. Their ids are the run's, with a number from `first`. */
export async function appendEvents(
  databaseUrl: string,
  runId: string,
  events: readonly SampleEvent[],
  first = 0,
): Promise<void> {
  const started = Date.now() - 120_000;
  const rows = events.map(({ payload, causedBy, ...event }, index) => ({
    ...event,
    id: `${runId}-${first + index}`,
    run_id: runId,
    payload: JSON.stringify(payload),
    created_at: new Date(started + (first + index) * 10).toISOString(),
    schema_version: 1,
    caused_by: causedBy ?? null,
    model: null,
    provenance: event.actor === 'ivo' ? JSON.stringify(PROVENANCE) : null,
  }));
  const store = await openStore({ url: databaseUrl });
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    await store.db
      .insertInto('events')
      .values(rows.slice(from, from + AT_ONCE))
      .execute();
  }
  await store.close();
}
