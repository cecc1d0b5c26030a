/** Tests of A8: models that work, call wrongly, repeat themselves, and never answer. */
import { expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { declareGuarantee } from './guarantee.ts';
import { FORMAT, startServer } from './routes/server.ts';

const MAX_STEPS = 8;
const submit = reply.tool('submit_structured_output', { output: { answer: 42 } });
const look = reply.tool('look', { at: 'pier' });

/** The answer, once nothing else is asked for: by a call, or as text by a schema mode. */
function due({ tools }: ScriptedTurn): ScriptedReply | undefined {
  if (tools.length > 1) return undefined;
  return tools.length === 1 ? submit : reply.text('{"answer":42}');
}

const lookElsewhere = ({ toolResults }: ScriptedTurn): ScriptedReply =>
  reply.tool('look', { at: `${toolResults.length}` });

/** Scripts, each with its ends and the most requests. A chat takes texts as wrong answers after the first. */
const SCRIPTS: readonly (readonly [RegExp, number, ModelScript])[] = [
  [/^ok$/u, 2, [look, submit]],
  [/^ok$/u, 4, [reply.tool('look', {}), reply.tool('invented', {}), reply.tool('fail', {}), submit]],
  [/^ok$/u, 6, (turn) => due(turn) ?? look],
  [/^ok$/u, MAX_STEPS, (turn) => due(turn) ?? lookElsewhere(turn)],
  [/^step_budget$/u, MAX_STEPS, lookElsewhere],
  [/^(?:text_only|validation_exhausted|step_budget)$/u, MAX_STEPS, () => reply.text('There are many.')],
];

const TOOLS = {
  look: {
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }: { readonly at: string }) => `Gulls at the ${at}.`,
  },
  fail: {
    inputSchema: z.object({}),
    execute: (): never => {
      throw new RangeError('The pier is closed.');
    },
  },
};

async function byGenerate(serviceUrl: string): Promise<string> {
  const ended: unknown = await generate({
    model: openAICompatible({ baseURL: serviceUrl, model: 'm' }),
    prompt: 'How many?',
    output: Output.object({ schema: z.strictObject({ answer: z.number() }) }),
    tools: TOOLS,
    maxSteps: MAX_STEPS,
  }).catch((error: unknown) => error);
  return StructuredOutputError.isInstance(ended) ? `${ended.reason}` : 'ok';
}

async function byChat(serviceUrl: string): Promise<string> {
  await using server = await startServer({ serviceUrl, tools: TOOLS, limits: { maxSteps: MAX_STEPS } });
  const { isAccepted, output } = await server.chat('How many?', { response_format: FORMAT });
  return isAccepted ? 'ok' : (/"reason":"(\w+)"/u.exec(output)?.[1] ?? output);
}

async function endEach(ask: (serviceUrl: string) => Promise<string>): Promise<void> {
  for (const [end, most, script] of SCRIPTS) {
    await using server = await scriptedModelServer({ script });
    expect(await ask(server.openaiUrl)).toMatch(end);
    expect(server.turns.length).toBeLessThanOrEqual(most);
  }
}

declareGuarantee('A8', {
  generate: () => endEach(byGenerate),
  chat: () => endEach(byChat),
});
