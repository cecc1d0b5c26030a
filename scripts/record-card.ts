/**
 * Recording of an answer's card (`npm run docs:card`): asks a chat server with a scripted model, and
 * writes each state of the answer as an animated SVG. It needs no browser, no network and no key.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, Output } from '@truecast/client';
import { createChatServer } from '@truecast/server';
import { describeRefusal } from '@truecast/core/internal/output/validate/describe-refusal';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { z } from 'zod';
import { reply } from '../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../packages/testing/src/scripted-model/scripted-model-server.ts';
import { renderCard, type CardState } from './recording/render-card.ts';

const TARGET: string = join(import.meta.dirname, '../docs/images/answer-card.svg');
const FIELDS = ['file', 'line', 'why'];
const why = 'The loop runs once too often.';
/** As fast as a model writes, and with time to read why an answer is refused. */
const PACE = { chunkChars: 5, chunkDelayMs: 110 };
const SCRIPT = [
  reply.delay(
    600,
    reply.tool(FINALIZER_NAME, { output: { file: 'src/loop.ts', line: 'twelve', why } }, PACE),
  ),
  reply.delay(2_400, reply.tool(FINALIZER_NAME, { output: { file: 'src/loop.ts', line: 12, why } }, PACE)),
];

await using model = await scriptedModelServer({ script: SCRIPT });
const server = await createChatServer({
  listen: false,
  databaseUrl: ':memory:',
  environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
});
const { token } = await server.createToken({ name: 'recording' });
const client = createClient({
  baseURL: 'http://127.0.0.1',
  token,
  fetch: (input, init) => server.fetch(new Request(input, init)),
});

const startMs = performance.now();
const states: CardState[] = [];
const refused: string[] = [];
const show = (
  state: Omit<CardState, 'atMs' | 'fields' | 'lines'>,
  value: unknown,
  seal: readonly string[] = [],
): void => {
  const parts = Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(value));
  const fields = Object.fromEntries(parts.map(([name, part]) => [name, JSON.stringify(part) ?? '']));
  states.push({ ...state, atMs: performance.now() - startMs, fields, lines: [...refused, ...seal] });
};

show({ state: 'waiting', note: 'waiting for the model' }, {});
const { output, receipt } = await client.chat().ask({
  prompt: 'Which line has the bug?',
  name: 'bug',
  output: Output.object({ schema: z.object({ file: z.string(), line: z.int(), why: z.string() }) }),
  onPartial: (draft) => {
    const count = Object.keys(draft).length;
    const word = refused.length === 0 ? 'not validated' : 'correction, not validated';
    show({ state: 'draft', note: `${word} · ${count} of ${FIELDS.length} fields` }, draft);
  },
  onAttempt: ({ number, code, issues, draft }) => {
    refused.push(`× attempt ${number}: ${describeRefusal({ code, issues })}`);
    const [first] = issues;
    const issue = { name: first?.path.slice(1) ?? '', text: first?.rule.toLowerCase() ?? '' };
    show({ state: 'refused', note: `attempt ${number} refused, trying again`, issue }, draft);
  },
});
const { attempts, value_hash: hash = '' } = receipt;
show({ state: 'valid', note: `valid at attempt ${attempts.length}` }, output, [
  `✓ sealed  SHA-256 ${hash.slice(0, 16)}…`,
]);
await server.close();

const svg = renderCard(states, {
  title: 'An answer grows, is refused with the reason, is corrected, and is sealed',
  name: 'bug',
  fields: FIELDS,
});
writeFileSync(TARGET, svg);
process.stdout.write(`${TARGET}: ${states.length} states, ${svg.length} bytes\n`);
