/**
 * Transition matrix of a run: each transition in every state, on both databases, against a hand-written
 * table. A refused one changes nothing. It also writes `docs/run-states.md`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { describeOnBothStores } from '../../../../../test/both-stores.ts';
import {
  allowedRunStates,
  RUN_STATES,
  RUN_TRANSITIONS,
  type AgentRunState,
  type RunTransition,
} from '../run-transitions.ts';
import {
  EXPIRY_MS,
  OFFERS,
  runIn,
  RUN_OWNER,
  runRequest,
  testRuns,
  type TestRun,
  type TestRuns,
} from './test-runs.ts';
import { stateOfRow } from './run-update.ts';

// `Object.keys` loses the type of the keys.
const TRANSITION_NAMES = Object.keys(RUN_TRANSITIONS) as readonly RunTransition[];

/** The expected outcome of each transition, or its refusal. */
const EXPECTED = `
transition     none        queued        running      answered      canceling     succeeded     failed        canceled
createRun      queued      queued        queued       queued        queued        queued        queued        queued
claim          !nothing    running       !nothing     !nothing      !nothing      !nothing      !nothing      !nothing
takeOver       !not-found  !not-allowed  running      answered      canceling     !not-allowed  !not-allowed  !not-allowed
note           !not-found  !superseded   running      answered      canceling     !superseded   !superseded   !superseded
answer         !not-found  !superseded   answered     answered      !not-allowed  !superseded   !superseded   !superseded
leave          !not-found  !superseded   queued       !not-allowed  canceled      !superseded   !superseded   !superseded
requestCancel  !not-found  canceled      canceling    !not-allowed  canceling     !not-allowed  !not-allowed  !not-allowed
endRun         !not-found  !superseded   succeeded    succeeded     canceled      !superseded   !superseded   !superseded
endLost        !not-found  !superseded   failed       failed        canceled      !superseded   !superseded   !superseded
expire         !not-found  canceled      !not-allowed !not-allowed  !not-allowed  !not-allowed  !not-allowed  !not-allowed
patchRun       !not-found  queued        running      answered      canceling     succeeded     failed        canceled
deleteRun      !not-found  !not-allowed  !not-allowed !not-allowed  !not-allowed  succeeded     failed        canceled
`;

const [header = [], ...rows] = EXPECTED.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/u));

/** Requests each transition as its user would. Returns the run that it changes. */
const ASK: Record<RunTransition, (machine: TestRuns, run: TestRun) => Promise<unknown>> = {
  createRun: (machine) => machine.createRun({ owner: RUN_OWNER, request: runRequest() }),
  claim: async (machine) => {
    const held = await machine.claimNext({ worker: 'w2', offers: OFFERS });
    if (held === undefined) throw new NothingClaimed();
  },
  takeOver: (machine, { runId }) =>
    machine.takeOver({ runId, worker: 'w2', lost: { worker: 'w1', heartbeatAt: machine.clock.nowMs } }),
  note: (machine, { fence }) => machine.note(fence, { note: { sessionId: 's1' } }),
  answer: (machine, { fence }) => machine.note(fence, { note: { phase: 'answered' } }),
  leave: (machine, { fence }) => machine.leave(fence),
  requestCancel: (machine, { runId }) => machine.requestCancel({ owner: RUN_OWNER, runId }),
  endRun: (machine, { fence }) => machine.endRun(fence, { status: 'succeeded', text: 'Done.' }),
  endLost: (machine, { fence }) => machine.endLost(fence, { reason: 'no_session' }),
  expire: (machine, { runId }) => {
    machine.clock.nowMs += EXPIRY_MS;
    return machine.expireRun(runId);
  },
  patchRun: (machine, { runId }) => machine.patchRun({ owner: RUN_OWNER, runId, priority: 1 }),
  deleteRun: (machine, { runId }) => machine.deleteRun({ owner: RUN_OWNER, runId, actor: 'test' }),
};

class NothingClaimed extends Error {}

it('knows every state and every transition', () => {
  expect(header.slice(1)).toEqual(RUN_STATES);
  expect(rows.map(([name]) => name)).toEqual(TRANSITION_NAMES);
});

it('is listed in the documentation', async () => {
  const path = new URL('../../../../../docs/run-states.md', import.meta.url);
  if (process.env['UPDATE_DOCS'] === '1') await writeFile(path, listTransitions());
  expect(await readFile(path, 'utf8')).toBe(listTransitions());
});

describeOnBothStores('the machine of runs', (open) => {
  afterEach(async () => {
    const { db } = open();
    for (const table of ['agent_run_events', 'agent_run_executions', 'agent_runs', 'run_workers'] as const) {
      await db.deleteFrom(table).execute();
    }
  });

  it.each(RUN_STATES.map((state, column) => [state, column] as const))(
    'moves a run that is %s as the table defines',
    async (state, column) => {
      const machine = testRuns(open());
      const found: string[][] = [];
      for (const transition of TRANSITION_NAMES) {
        found.push([transition, await outcome(machine, state, transition)]);
        await open().db.updateTable('agent_runs').set(ENDED).execute();
      }
      expect(found).toEqual(rows.map((row) => [row[0], row[column + 1]]));
    },
  );

  /** Takes the run out of the queue, so that the next one is alone. */
  const ENDED = {
    status: 'canceled',
    phase: null,
    worker: null,
    ended_at: 1,
    error: '{}',
    result: '{}',
  } as const;

  async function outcome(
    machine: TestRuns,
    state: AgentRunState,
    transition: RunTransition,
  ): Promise<string> {
    const run = await runIn(machine, state);
    const before = await look(run.runId);
    if (before !== undefined) expect(stateOfRow(before)).toBe(state);
    try {
      await ASK[transition](machine, run);
    } catch (error) {
      expect(await look(run.runId)).toEqual(before);
      return refusalOf(error, transition);
    }
    if (transition === 'createRun') return 'queued';
    const after = await look(run.runId);
    return after === undefined ? 'none' : stateOfRow(after);
  }

  const look = (runId: string) =>
    open().db.selectFrom('agent_runs').selectAll().where('id', '=', runId).executeTakeFirst();
});

function refusalOf(error: unknown, transition: RunTransition): string {
  if (error instanceof NothingClaimed) return '!nothing';
  if (RequestRefusedError.isInstance(error)) return `!${error.code}`;
  if (!ChatStateError.isInstance(error)) throw error;
  expect(error.transition).toBe(transition);
  return `!${error.code}`;
}

const INTRODUCTION = [
  '# States and transitions of a run',
  '',
  'For developers of clients and of the server: the transitions of an agent run of a server, and the states in',
  'which each one is allowed. `answered` is a running run whose answer is accepted.',
  '',
  'A cell contains the states in which the transition can end. `–` means that it is refused: with `not_allowed`',
  'and the reason in [Refusals](#refusals), or with `not_found` if there is no run. If another worker has the',
  'run, a call of its worker is refused with `superseded` in every state.',
  '',
  '`succeeded`, `failed` and `canceled` are final. The receipt is written by the transition that ends the run.',
  '',
  'This page is generated from `packages/server/src/runs/run-transitions.ts`. Its test requests every transition',
  'in every state, on SQLite and on Postgres. To write the page again:',
  '',
  '```sh',
  'UPDATE_DOCS=1 npx vitest run packages/server/src/runs/state/run-states.test.ts',
  '```',
  '',
] as const;

/** Renders the transition table as Markdown. */
function listTransitions(): string {
  const lines = TRANSITION_NAMES.map((transition) => {
    const cells = RUN_STATES.map((state) => (allowedRunStates(transition, state) ?? ['–']).join(', '));
    return `| \`${transition}\` | ${cells.join(' | ')} |`;
  });
  const refusals = TRANSITION_NAMES.map((name) => `| \`${name}\` | ${RUN_TRANSITIONS[name].refusal} |`);
  return [
    ...INTRODUCTION,
    `| transition | ${RUN_STATES.join(' | ')} |`,
    `|---|${RUN_STATES.map(() => '---|').join('')}`,
    ...lines,
    '',
    '## Refusals',
    '',
    '| transition | reason |',
    '|---|---|',
    ...refusals,
    '',
  ].join('\n');
}
