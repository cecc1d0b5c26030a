/** Tests of A7: answers with NUL, which are accepted, and with half a surrogate pair, which some stores cannot hold. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import { listKeptRunIds, readKeptRun } from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
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
  expect(outcome.isAccepted, outcome.output).toBe(true);
  expect(outcome.output).toContain(String.raw`"text":"Gulls \u0000 sit \ud800 here."`);
}

const output = Output.object({ tag: 'result', schema: z.object({ text: z.string() }), maxRetries: 0 });

async function keepExactly(
  route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept' | 'batch',
): Promise<void> {
  const repository = makeRepository();
  for (const answer of [WITH_NUL, WITH_HALF]) {
    const outcome = await AGENT_ROUTES[route]({
      repository,
      script: `cat <<'END'\n<result>${answer}</result>\nEND`,
      options: { output },
    });
    expect(outcome.isAccepted, outcome.output).toBe(true);
  }
  const state = repositoryStateFolder(join(repository, '.git'));
  const ids = await listKeptRunIds(state);
  const kept = await Promise.all(ids.map((id) => readKeptRun(state, id)));
  expect(new Set(kept.map((run) => run?.valueText))).toEqual(new Set([WITH_NUL, WITH_HALF]));
}

declareGuarantee('A7', {
  'run/none': () => keepExactly('run/none'),
  'run/bubblewrap': () => keepExactly('run/bubblewrap'),
  'run/podman': () => keepExactly('run/podman'),
  kept: () => keepExactly('kept'),
  batch: () => keepExactly('batch'),
  ensemble: () => storeExactly('ensemble'),
  chat: () => refuseHalf('chat'),
  wire: () => refuseHalf('wire'),
  command: () => storeExactly('command'),
});
