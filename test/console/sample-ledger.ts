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

/** Appends a finished run with this number of lines to the ledger of a database. */
export async function appendSampleRun(databaseUrl: string, runId: string, lines: number): Promise<void> {
  const started = Date.now() - 120_000;
  const events = Array.from({ length: lines }, (_none, index) => {
    const [actor, kind, payload] = LINES[index % LINES.length] ?? LINES[0];
    return { turn: Math.floor(index / LINES.length), actor, kind, payload };
  });
  const all = [
    {
      turn: 0,
      actor: 'conductor',
      kind: 'run.started',
      payload: { scenario: 'The museum boat', seed: 'a spring flood', goal: 'Save the boat.', cast: CAST },
    },
    ...events,
    {
      turn: lines,
      actor: 'conductor',
      kind: 'run.finished',
      payload: { reason: 'verdict', winner: 'hedda' },
    },
  ].map(({ payload, ...event }, index) => ({
    ...event,
    id: `${runId}-${index}`,
    run_id: runId,
    payload: JSON.stringify(payload),
    created_at: new Date(started + index * 10).toISOString(),
    schema_version: 1,
    caused_by: null,
    model: null,
    provenance: event.actor === 'ivo' ? JSON.stringify(PROVENANCE) : null,
  }));
  const store = await openStore({ url: databaseUrl });
  for (let from = 0; from < all.length; from += AT_ONCE)
    await store.db
      .insertInto('events')
      .values(all.slice(from, from + AT_ONCE))
      .execute();
  await store.close();
}
