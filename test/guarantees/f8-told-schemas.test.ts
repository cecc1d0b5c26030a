/** Tests of F8: how a prompt tells a schema, and replies that repeat it. */
import { expect } from 'vitest';
import { Output } from '../../packages/core/src/output/output.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { matrixColumns } from '../matrix.ts';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { ANSWER } from './played-reply.ts';
import { runCommand } from './routes/command.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';
import { FORMAT } from './routes/server.ts';
import { say, type AnsweringRoute } from './said-by-agent.ts';

const TYPE = 'of this type, with no other keys:\n{ "answer": number }';
const { schema: SCHEMA } = FORMAT.json_schema;
/** What models write that repeat a type: as it is, as JSON, and with words for values. */
const REPEATED = ['{ "answer": number }', '{"answer": …}', '{"answer":"number"}', '{"answer":"…"}'];

/** Rows of the matrix: the short form tries a third of the repetitions on each route. */
const ROWS: readonly ModelRouteName[] = ['generate', 'chat', 'wire'];

/** A service without schemas and tools, which repeats what it was told, and then says nothing. */
async function refuseRepeated(route: ModelRouteName): Promise<void> {
  const sayings: ((prompt: string) => string)[] = [
    (prompt) => prompt,
    (prompt) => prompt.slice(prompt.indexOf('Answer: JSON')),
    ...REPEATED.map((text) => () => text),
  ];
  for (const saying of matrixColumns(ROWS.indexOf(route), sayings, { rows: ROWS.length })) {
    const told: string[] = [];
    const answer = ({ userText }: ScriptedTurn): ScriptedReply => {
      told.push(userText);
      return told.length === 1 ? reply.text(saying(userText)) : reply.text('', { finishReason: 'refusal' });
    };
    expect(await playWithoutModes(route, answer)).toBe(false);
    expect(told[0]).toContain(TYPE);
    expect(told[0]).not.toContain('"type":');
  }
  expect(await playWithoutModes(route, () => reply.text(ANSWER))).toBe(true);
}

async function playWithoutModes(
  route: ModelRouteName,
  answer: (turn: ScriptedTurn) => ScriptedReply,
): Promise<boolean> {
  await using server = await scriptedModelServer({
    script: (turn) =>
      turn.jsonSchema !== undefined
        ? reply.error(400, { message: 'response_format is not supported' })
        : turn.tools.length > 0
          ? reply.error(400, { message: 'm does not support tools' })
          : answer(turn),
  });
  return (await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl })).isAccepted;
}

const OUTPUT = Output.object({ tag: 'result', schema: jsonSchema(SCHEMA) });

async function refuseRepeatedTag(route: AnsweringRoute): Promise<void> {
  const told = Output.instructions(OUTPUT);
  expect(told).toContain(TYPE);
  expect(told).not.toContain('"type":');
  for (const said of [told, ...REPEATED.map((text) => `<result>${text}</result>`)]) {
    expect((await say(route, said)).isAccepted, said).toBe(false);
  }
  expect((await say(route, `${told}\n<result>${ANSWER}</result>`)).isAccepted).toBe(true);
}

async function tellInCommand(): Promise<void> {
  const args = ['instructions', '--tag', 'result', '--schema', JSON.stringify(SCHEMA)];
  expect((await runCommand({ cwd: makeRepository(), args })).output).toContain(TYPE);
  await refuseRepeatedTag('command');
}

declareGuarantee('F8', {
  'run/none': () => refuseRepeatedTag('run/none'),
  'run/bubblewrap': () => refuseRepeatedTag('run/bubblewrap'),
  'run/podman': () => refuseRepeatedTag('run/podman'),
  kept: () => refuseRepeatedTag('kept'),
  batch: () => refuseRepeatedTag('batch'),
  generate: () => refuseRepeated('generate'),
  chat: () => refuseRepeated('chat'),
  wire: () => refuseRepeated('wire'),
  runs: inBubblewrap(() => refuseRepeatedTag('runs')),
  command: tellInCommand,
});
