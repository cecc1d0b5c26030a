/** Tests of E2: long transcripts, long answers, and readers that stand still. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { startEndlessService } from './hostile-service.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';
import { startServer } from './routes/server.ts';
import { addMessages } from './stored-rows.ts';
import { boundEventsOfRun } from './routes/served-runs.ts';

const KEPT_CHARACTERS = 4 * 1024 * 1024;
const SCRIPT = 'echo the beginning; seq 1 1700000; echo the end';
const SLOW_READERS = 8;
const MESSAGES = 2_000;
const MESSAGE = 'x'.repeat(20_000);
/** The readers together would hold 320 MB. */
const MOST_ADDED_BYTES = 100 * 1024 * 1024;
/** Far more than the buffers of two connections, and less than a bound of the whole reply. */
const MOST_AHEAD_BYTES = 40 * 1024 * 1024;

async function holdTheEnd(route: AgentRouteName): Promise<void> {
  const {
    isAccepted,
    text = '',
    output,
  } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: SCRIPT,
  });
  expect(isAccepted).toBe(true);
  expect(text.length).toBeLessThanOrEqual(KEPT_CHARACTERS);
  expect([text.includes('the beginning'), text.endsWith('the end\n')]).toEqual([false, true]);
  expect(output).toContain('the beginning');
  expect(output.length).toBeGreaterThan(12_000_000);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

declareGuarantee('E2', {
  runs: boundEventsOfRun,
  'run/none': () => holdTheEnd('run/none'),
  'run/bubblewrap': () => holdTheEnd('run/bubblewrap'),
  'run/podman': () => holdTheEnd('run/podman'),
  kept: () => holdTheEnd('kept'),
  batch: async () => {
    const { isAccepted, output } = await AGENT_ROUTES.batch({ repository: makeRepository(), script: SCRIPT });
    expect([isAccepted, output.length < 10_000]).toEqual([true, true]);
  },
  generate: async () => {
    const text = JSON.stringify({ answer: 42, note: 'word '.repeat(2_000) });
    await using service = await scriptedModelServer({ script: () => reply.text(text, { chunkChars: 16 }) });
    let previews = 0;
    const answer = generate({
      model: openAICompatible({ baseURL: service.openaiUrl, model: 'm' }),
      prompt: 'How many?',
      output: Output.object({ schema: z.object({ answer: z.number(), note: z.string() }) }),
      onPartial: () => void (previews += 1),
    });
    await answer;
    const late: { readonly value?: { readonly note?: string } }[] = [];
    for await (const partial of answer) late.push({ value: { note: partial.value?.note ?? '' } });
    expect(previews).toBeGreaterThan(20);
    expect(late).toHaveLength(1);
    expect(late[0]?.value?.note).toHaveLength(10_000);
  },
  chat: async () => {
    await using service = await scriptedModelServer({ script: () => reply.text('Yes.') });
    await using server = await startServer({ serviceUrl: service.openaiUrl });
    await server.chat('Ready?');
    const chatId = await addMessages(server.databaseUrl, MESSAGES, MESSAGE);
    const before = heldBytes();
    const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
    while (readers.length < SLOW_READERS) {
      const reader = (await server.open(`/api/chats/${chatId}/stream`)).body?.getReader();
      // The first bytes come after the first page was read.
      await reader?.read();
      if (reader !== undefined) readers.push(reader);
    }
    expect(heldBytes() - before).toBeLessThan(MOST_ADDED_BYTES);
    await Promise.all(readers.map((reader) => reader.cancel()));
  },
  wire: async () => {
    await using service = await startEndlessService('events');
    await using server = await startServer({ serviceUrl: service.url });
    const before = heldBytes();
    const messages = [{ role: 'user', content: 'How many?' }];
    const { body } = await server.open('/v1/chat/completions', { model: 'local:m', messages, stream: true });
    const reader = body?.getReader();
    await reader?.read();
    expect(service.sentBytes).toBeLessThan(MOST_AHEAD_BYTES);
    expect(heldBytes() - before).toBeLessThan(MOST_ADDED_BYTES);
    await reader?.cancel();
  },
  command: async () => {
    const { isAccepted, output } = await AGENT_ROUTES.command({
      repository: makeRepository(),
      script: SCRIPT,
    });
    expect(isAccepted).toBe(true);
    expect(output.length).toBeLessThan(KEPT_CHARACTERS + 100_000);
  },
});
