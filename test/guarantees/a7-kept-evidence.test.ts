/** Tests of A7: answers with NUL, which are accepted, and with half of a surrogate pair, which has no UTF-8 form. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import {
  listKeptRunIds,
  readKeptRun,
  readTranscript,
} from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { MODEL_ROUTES } from './routes/model-routes.ts';
import { FORMAT, startServer } from './routes/server.ts';

/** Answers as a model writes them, with the escapes of JSON. */
const WITH_NUL = String.raw`{"text":"a\u0000b"}`;
const WITH_HALF = String.raw`{"text":"a\ud800b"}`;

const TEXT_FORMAT = {
  ...FORMAT,
  json_schema: {
    name: 'said',
    schema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
} as const;

/** The first submission is refused, the second is accepted. */
async function refuseHalf(route: 'chat' | 'wire'): Promise<void> {
  const submissions = [WITH_HALF, WITH_NUL].map((answer) =>
    reply.toolText(FINALIZER_NAME, `{"output":${answer}}`),
  );
  await using model = await scriptedModelServer({ script: submissions });
  await using server = await startServer({ serviceUrl: model.openaiUrl });
  const body = { response_format: TEXT_FORMAT };
  const outcome = route === 'chat' ? await server.chat('Say it.', body) : await server.completion(body);
  expect(outcome.isAccepted, outcome.output).toBe(true);
  // Chats have the value, the wire its text.
  const value: unknown = route === 'chat' ? outcome.value : JSON.parse(String(outcome.value));
  expect(value).toEqual({ text: 'a\0b' });
  expect(model.turns[1]?.lastToolResult?.text).toContain('- /text: Expected whole characters');
  if (route === 'wire') return;
  // The text of the refused submission, inside of JSON.
  expect(outcome.output).toContain(JSON.stringify(`{"output":${WITH_HALF}}`).slice(1, -1));
  expect(outcome.output).toContain('"path":"/text"');
}

const SPOKEN = String.raw`{"kind":"agent.spoke","text":"Gulls \u0000 sit \ud800 here."}`;

async function storeExactly(route: 'ensemble' | 'command'): Promise<void> {
  await using model = await scriptedModelServer({ script: () => reply.text(SPOKEN) });
  const outcome = await MODEL_ROUTES[route]({ serviceUrl: model.openaiUrl });
  // With retries, the second request asks for whole characters. A model that repeats itself keeps its line.
  if (route === 'command') expect(JSON.stringify(model.turns[1])).toContain('Expected whole characters');
  expect(outcome.isAccepted, outcome.output).toBe(true);
  expect(outcome.output).toContain(String.raw`"text":"Gulls \u0000 sit \ud800 here."`);
}

const output = Output.object({ tag: 'result', schema: z.object({ text: z.string() }), maxCorrections: 0 });

const NAMED = 'at text: Expected whole characters, got half of a surrogate pair';

async function keepEvidence(
  route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
): Promise<void> {
  const repository = makeRepository();
  const work = (answer: string) =>
    AGENT_ROUTES[route]({
      repository,
      script: `cat <<'END'\n<result>${answer}</result>\nEND`,
      options: { output },
    });
  const accepted = await work(WITH_NUL);
  expect(accepted.isAccepted, accepted.output).toBe(true);
  const refused = await work(WITH_HALF);
  expect(refused.isAccepted, refused.output).toBe(false);
  expect(refused.message).toContain(NAMED);
  const state = repositoryStateFolder(join(repository, '.git'));
  for (const id of await listKeptRunIds(state)) {
    const kept = await readKeptRun(state, id);
    const [attempt] = kept?.attempts ?? [];
    const { start, end } = attempt?.span ?? { start: 0, end: 0 };
    const said = (await readTranscript(state, id))?.slice(start, end);
    if (attempt?.code === 'ok') expect([kept?.valueText, said]).toEqual([WITH_NUL, WITH_NUL]);
    else expect([attempt?.message, said]).toEqual([expect.stringContaining(NAMED), WITH_HALF]);
  }
}

/** The receipt has the text of an accepted answer exactly, and the path of a refused one. */
async function keepInReceipt(): Promise<void> {
  const say = (answer: string) => {
    const script = `cat <<'END'\n<result>${answer}</result>\nEND`;
    return AGENT_ROUTES.runs({ repository: makeRepository(), script, options: { output } });
  };
  const accepted = await say(WITH_NUL);
  expect(accepted).toMatchObject({ isAccepted: true, value: { text: 'a\0b' } });
  expect(accepted.output).toContain(`"value_text":${JSON.stringify(WITH_NUL)}`);
  const refused = await say(WITH_HALF);
  expect(refused).toMatchObject({ isAccepted: false, code: 'structured_output_not_produced' });
  expect(refused.message).toContain(NAMED);
  expect(refused.output).toContain('"path":"/text"');
}

async function acceptOtherwise(): Promise<void> {
  const script = [WITH_HALF, WITH_NUL].map((said) => reply.text(said));
  await using model = await scriptedModelServer({ script });
  const { output: value } = await generate({
    model: openAICompatible({ baseURL: model.openaiUrl, model: 'm' }),
    prompt: 'Say it.',
    output: Output.object({ schema: z.strictObject({ text: z.string() }), maxCorrections: 1 }),
  });
  expect(value).toEqual({ text: 'a\0b' });
  expect(JSON.stringify(model.turns[1])).toContain('text: Expected whole characters');
}

declareGuarantee('A7', {
  'run/none': () => keepEvidence('run/none'),
  'run/bubblewrap': () => keepEvidence('run/bubblewrap'),
  'run/podman': () => keepEvidence('run/podman'),
  kept: () => keepEvidence('kept'),
  batch: () => keepEvidence('batch'),
  generate: acceptOtherwise,
  ensemble: () => storeExactly('ensemble'),
  chat: () => refuseHalf('chat'),
  wire: () => refuseHalf('wire'),
  runs: inBubblewrap(keepInReceipt),
  command: () => storeExactly('command'),
});
