/** Stream of a run with as many events as one can have: complete, in order, and read in small pages. */
import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, expect } from 'vitest';
import { agentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import { describeOnBothStores } from '../../../../../test/describe-on-both-stores.ts';
import { matrixRow } from '../../../../../test/matrix.ts';
import { toZod } from '../../contract/to-zod.ts';
import { EVENT_LIMITS } from '../../runs/run-event.ts';
import { createRunMachine, type RunMachine } from '../../runs/state/run-machine.ts';
import { OFFERS } from '../../runs/state/test-runs.ts';
import { issueToken } from '../../tokens/access-token.ts';
import { startServer, type TestServer } from '../test-server.ts';
import { openAgentRunStream } from './agent-run-stream.ts';
import { readEventsAt } from './test-stream.ts';

const EVENTS = 2 * EVENT_LIMITS.count;
const NOTE = 5_000;
/** Some 300 bytes: a thousand of them fill the buffer of a stream. */
const shaOf = (at: number): string => `${at}`.padStart(240, '0');

describeOnBothStores('the stream of a run with 20,000 events', ({ freshUrl, row }) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  let server: TestServer;
  let machine: RunMachine;
  let token = '';
  let runId = '';

  beforeAll(async () => {
    server = await startServer({ url: await freshUrl(), runOffers: OFFERS });
    machine = createRunMachine({ store: server.store });
    ({ token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] }));
    const request = { repository: 'web', agent: 'claude-code', prompt: 'Fix it.' };
    ({ id: runId } = await machine.createRun({ owner: 'anna', request }));
    const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
    assert(held);
    for (let from = 0; from < EVENTS; from += NOTE) {
      const events = Array.from({ length: NOTE }, (_each, at) => ({
        type: 'commit' as const,
        sha: shaOf(from + at),
      }));
      await machine.note(held.fence, { events });
    }
    await machine.endRun(held.fence, { status: 'succeeded', text: 'Done.' });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  itInTurns('sends each once and in order, also to a reader that disconnects in the middle', async () => {
    const read = (lastId?: string, until: (count: number) => boolean = () => false) =>
      readEventsAt(server, `/api/runs/${runId}/stream`, toZod(agentRunEvent), {
        token,
        ...(lastId !== undefined && { lastId }),
        until: (_received, all) => until(all.length),
      });
    const first = await read(undefined, (count) => count === EVENTS / 2);
    const all = [...first, ...(await read(first.at(-1)?.id))];
    expect(all.map(({ id }) => id)).toEqual(all.map((_each, index) => String(index + 1)));
    const commits = all.flatMap(({ event }) => (event.type === 'commit' ? [event.sha] : []));
    expect(commits).toEqual(commits.map((_sha, at) => shaOf(at)));
    // The events of the server itself are stored beyond the limit: the last status and the receipt.
    expect(all.length).toBe(EVENTS + 2);
    expect(all.at(-1)?.event).toMatchObject({ type: 'receipt', receipt: { text: 'Done.' } });
  });

  itInTurns('reads no more than a page and a buffer ahead of its reader', async () => {
    let [received, mostAhead, pages] = [0, 0, 0];
    const agentRuns: RunMachine = {
      ...machine,
      listRunEvents: (query) => {
        pages += 1;
        mostAhead = Math.max(mostAhead, query.after + query.limit - received);
        return machine.listRunEvents(query);
      },
    };
    const stream = openAgentRunStream(
      {
        agentRuns,
        store: server.store,
        streamTimes: { pingMs: 600_000, pollMs: 600_000, slowMs: 60_000 },
        onFault: (fault) => void server.faults.push(fault),
      },
      {
        owner: 'anna',
        runId,
        after: 0,
        isComplete: false,
        signal: new AbortController().signal,
        isAllowed: () => Promise.resolve(true),
        onEnd: () => undefined,
      },
    );
    const parser = createParser({ onEvent: () => void (received += 1) });
    for await (const text of stream.pipeThrough(new TextDecoderStream())) parser.feed(text);
    expect(received).toBe(EVENTS + 2);
    expect(pages).toBeGreaterThan(EVENTS / 1_000);
    expect(mostAhead).toBeLessThan(2_000);
  });
});
