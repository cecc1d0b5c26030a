/** Tests of E3: an answer of very many members, and lists over 8,000 requests or more. */
import { readFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixRuns } from '../matrix.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { countParses, PRINTS_PARSES, wideAnswer } from './parsed-text.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';
import { runProcess } from './routes/command.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';
import { FORMAT, startServer } from './routes/server.ts';
import { copyRequests } from './stored-rows.ts';

const TOO_MANY = 'more than 100000 members';
const OPEN = z.looseObject({ answer: z.number() });
const REQUESTS = matrixRuns(8_000, 20_000);
/** A page of the quality report, and one row more. */
const MOST_ROWS = 501;
/** Values of 20,000 requests have 40 MB, and those of the short form 16 MB. */
const MOST_BYTES = 12_000_000;

/** Prints the answer by programs that each sandbox has. */
const PRINT = `printf '<result>{"answer":1'; seq 0 109999 | sed 's/.*/,"k&":1/' | tr -d '\\n'; echo '}</result>'`;

async function refuseOfAgent(route: AgentRouteName): Promise<void> {
  const output = Output.object({ tag: 'result', schema: OPEN, maxCorrections: 0 });
  const parses = await countParses(async () => {
    const work = { repository: makeRepository(), script: PRINT, options: { output } };
    const { isAccepted, message } = await AGENT_ROUTES[route](work);
    expect([isAccepted, message.includes(TOO_MANY)]).toEqual([false, true]);
  });
  expect(parses).toBe(0);
}

async function refuseOfModel(route: ModelRouteName, text = wideAnswer()): Promise<void> {
  await using service = await scriptedModelServer({ script: () => reply.text(text, { chunkChars: 32_768 }) });
  const parses = await countParses(async () => {
    const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: service.openaiUrl, schema: OPEN });
    expect(isAccepted).toBe(false);
  });
  expect(parses).toBe(0);
}

/** What SQLite read and returned while `play` ran. */
async function countRows(
  play: () => Promise<void>,
): Promise<{ readonly most: number; readonly bytes: number }> {
  const { prototype } = StatementSync;
  const { all } = prototype;
  let most = 0;
  Object.assign(prototype, {
    all(this: StatementSync, ...values: readonly unknown[]): unknown {
      const rows: unknown = Reflect.apply(all, this, values);
      most = Math.max(most, Array.isArray(rows) ? rows.length : 0);
      return rows;
    },
  });
  const before = bytesRead();
  try {
    await play();
  } finally {
    prototype.all = all;
  }
  return { most, bytes: bytesRead() - before };
}

/** Bytes that this process read from files and pipes. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/mu.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

const LISTS = [
  'chats?preview=true&limit=200',
  'chats?q=none',
  'requests?preview=true&limit=200',
  ...['q=none', 'model=none', 'name=none', 'schema_hash=none', 'status=canceled'].map((q) => `requests?${q}`),
  'schemas',
  'usage',
];

declareGuarantee('E3', {
  'run/none': () => refuseOfAgent('run/none'),
  'run/bubblewrap': () => refuseOfAgent('run/bubblewrap'),
  'run/podman': () => refuseOfAgent('run/podman'),
  kept: () => refuseOfAgent('kept'),
  batch: () => refuseOfAgent('batch'),
  generate: () => refuseOfModel('generate'),
  ensemble: () => refuseOfModel('ensemble', wideAnswer('"kind":"agent.spoke","text":"Forty-two gulls."')),
  chat: async () => {
    const call = reply.toolText('submit_structured_output', '{"output":{"answer":42}}');
    await using service = await scriptedModelServer({ script: () => call });
    await using server = await startServer({ serviceUrl: service.openaiUrl });
    await server.chat('How many?', { response_format: FORMAT });
    await copyRequests(server.databaseUrl, REQUESTS, JSON.stringify({ answer: 42, note: 'x'.repeat(2_000) }));
    for (const list of LISTS) {
      const read = (): ReturnType<typeof countRows> =>
        countRows(async () => {
          expect([list, (await server.ask(`/api/${list}`)).status]).toEqual([list, 200]);
        });
      const reads = [await read()];
      // Other work of the process reads too, and not each time.
      while (reads.length < 3 && Math.min(...reads.map((each) => each.bytes)) >= MOST_BYTES) {
        reads.push(await read());
      }
      const most = Math.max(...reads.map((each) => each.most));
      const bytes = Math.min(...reads.map((each) => each.bytes));
      expect([list, most <= MOST_ROWS, bytes < MOST_BYTES]).toEqual([list, true, true]);
    }
    const report = await countRows(async () => {
      expect((await server.ask('/api/quality')).text).toContain(`"answers":${REQUESTS}`);
    });
    expect(report.most).toBeLessThanOrEqual(MOST_ROWS);
  },
  wire: () => refuseOfModel('wire'),
  runs: inBubblewrap(() => refuseOfAgent('runs')),
  command: async () => {
    const { isAccepted, message } = await runProcess({
      cwd: temporaryFolder(),
      args: ['extract', '--tag', 'result', '--schema', JSON.stringify(z.toJSONSchema(OPEN))],
      input: `<result>${wideAnswer()}</result>`,
      env: { NODE_OPTIONS: PRINTS_PARSES },
    });
    expect([isAccepted, message.includes(TOO_MANY), message.includes('WIDE PARSE')]).toEqual([
      false,
      true,
      false,
    ]);
  },
});
