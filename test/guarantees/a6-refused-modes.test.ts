/** Tests of A6: services that refuse a schema in their own words, a mode, or tools. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { matrixColumns } from '../matrix.ts';
import { declareGuarantee } from './guarantee.ts';
import { rightOf } from './played-reply.ts';
import { MODEL_ROUTES, type ModelRouteName } from './routes/model-routes.ts';

/** Refusals of a schema: of Gemini, Anthropic, OpenAI, and of a service in other words. */
const REFUSED_SCHEMAS = [
  [400, 'The specified schema produces a constraint that has too many states for serving.'],
  [400, 'A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.'],
  [400, "Invalid value at 'generation_config.response_schema.properties[0].value' (TYPE_STRING), 60"],
  [400, 'The compiled grammar is too large, which would cause performance issues.'],
  [400, "Invalid schema for response_format 'answer': In context=(), 'x' is not permitted."],
  [400, 'Das geht so nicht.'],
  [500, 'Failed to initialize samplers: failed to parse grammar'],
] as const;

const isNative = ({ jsonSchema }: ScriptedTurn): boolean => jsonSchema !== undefined;
const hasTools = ({ tools }: ScriptedTurn): boolean => tools.length > 0;

/** Rows of the matrix: the short form tries a third of the refusals on each route. */
const ROWS: readonly ModelRouteName[] = ['generate', 'ensemble', 'chat', 'wire', 'command'];

function triedRefusals(route: ModelRouteName): readonly (typeof REFUSED_SCHEMAS)[number][] {
  return matrixColumns(ROWS.indexOf(route), REFUSED_SCHEMAS, { rows: ROWS.length });
}

/** Asks twice, and returns whether both were answered, and the calls after each. */
async function askTwice(
  route: ModelRouteName,
  script: (turn: ScriptedTurn) => ScriptedReply,
): Promise<readonly unknown[]> {
  await using server = await scriptedModelServer({ script });
  const seen: unknown[] = [];
  for (const _time of [1, 2]) {
    const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl });
    seen.push(isAccepted, server.turns.length);
  }
  return seen;
}

async function leadOn(route: ModelRouteName): Promise<void> {
  const right = rightOf(route);
  const call = reply.toolText('submit_structured_output', `{"output":${right}}`);
  for (const [statusCode, message] of triedRefusals(route)) {
    const script = (turn: ScriptedTurn): ScriptedReply =>
      isNative(turn) ? reply.error(statusCode, { message }) : hasTools(turn) ? call : reply.text('No.');
    expect([message, ...(await askTwice(route, script))]).toEqual([message, true, 2, true, 3]);
  }
  const python = reply.error(500, {
    message:
      "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]",
  });
  const inObject = ({ body }: ScriptedTurn): boolean => JSON.stringify(body).includes('"json_object"');
  // The prompt of a test without the word JSON would be refused by OpenAI's rules for the JSON mode.
  await using server = await scriptedModelServer({
    localServer: 'vllm',
    script: (turn) => (isNative(turn) ? python : reply.text(inObject(turn) ? right : 'No.')),
  });
  for (const calls of [2, 3]) {
    const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl });
    expect([isAccepted, server.turns.length]).toEqual([true, calls]);
  }
  const neither = (turn: ScriptedTurn): ScriptedReply =>
    isNative(turn)
      ? reply.error(400, { message: 'response_format is not supported' })
      : hasTools(turn)
        ? reply.error(400, { message: 'm does not support tools' })
        : reply.text(right);
  expect(await askTwice(route, neither)).toEqual([true, 3, true, 4]);
}

/** Each command is a process, so it learns anew. */
async function leadOnInCommand(): Promise<void> {
  const right = rightOf('ensemble');
  const call = reply.toolText('submit_structured_output', `{"output":${right}}`);
  for (const [statusCode, message] of triedRefusals('command').slice(-2)) {
    await using server = await scriptedModelServer({
      script: (turn) =>
        isNative(turn) ? reply.error(statusCode, { message }) : hasTools(turn) ? call : reply.text('No.'),
    });
    const { isAccepted } = await MODEL_ROUTES.command({ serviceUrl: server.openaiUrl });
    expect([message, isAccepted, server.turns.length]).toEqual([message, true, 2]);
  }
}

declareGuarantee('A6', {
  generate: () => leadOn('generate'),
  ensemble: () => leadOn('ensemble'),
  chat: () => leadOn('chat'),
  wire: () => leadOn('wire'),
  command: leadOnInCommand,
});
