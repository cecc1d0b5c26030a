/** Shared cases of models with tools: scripted replies, and the end of the answer loop. */
import { z } from 'zod';
import type {
  ScriptedReply,
  MessageReply,
} from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import type { GenerateTools } from '../../packages/model/src/tools/generate-tool.ts';

/** The tool that receives the answer. */
export const SUBMIT = 'submit_structured_output';

export const ANSWER: z.ZodType<{ city: string; degrees: number }> = z.strictObject({
  city: z.string(),
  degrees: z.number(),
});

export const RIGHT_DEGREES = { city: 'Oslo', degrees: 7 };

export const submit: MessageReply = reply.tool(SUBMIT, { output: RIGHT_DEGREES });
export const work: MessageReply = reply.tool('getTemperature', { city: 'Oslo' });

/** Tools of each case, in the form of Truecast. */
export const TOOLS: GenerateTools = {
  getTemperature: {
    description: 'Returns the temperature of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }: { readonly city: string }) => ({ city, degrees: 7 }),
  },
  getTime: {
    description: 'Returns the time.',
    inputSchema: z.object({ zone: z.string().default('UTC') }),
    execute: ({ zone }: { readonly zone: string }) => `12:00 ${zone}`,
  },
  hang: { inputSchema: z.object({}), timeoutMs: 20, execute: () => new Promise(() => undefined) },
  fail: {
    inputSchema: z.object({}),
    execute: () => {
      throw new RangeError('The database is down.');
    },
  },
};

/** One behaviour of a model. */
export interface ToolCase {
  readonly title: string;
  /** Replies, or a reply to each request. */
  readonly script: readonly ScriptedReply[] | ((turn: ScriptedTurn) => ScriptedReply);
  readonly maxSteps?: number;
  /** `ok` or the reason, and the number of requests. */
  readonly ends: string;
}

/** The answer of a model that is asked for nothing else: by a call, or as text by a schema mode. */
function answerIfDue({ tools }: ScriptedTurn): ScriptedReply | undefined {
  if (tools.length > 1) return undefined;
  return tools.length === 1 ? submit : reply.text(JSON.stringify(RIGHT_DEGREES));
}

/** A model that works until only the answer is offered. */
const obeys = (turn: ScriptedTurn): ScriptedReply => answerIfDue(turn) ?? work;

/** A model that never does the same thing twice. */
const worksDifferently = ({ toolResults }: ScriptedTurn): ScriptedReply =>
  reply.tool('getTemperature', { city: `City ${toolResults.length}` });

const refusesForce = (turn: ScriptedTurn): ScriptedReply => {
  const isForced = /"tool_choice":"required"|"tool_choice":\{"type":"any"|"mode":"ANY"/u.test(
    JSON.stringify(turn.body),
  );
  if (isForced) return reply.error(400, { message: "tool_choice 'required' is not supported" });
  return turn.toolResults.length > 0 ? submit : work;
};

const wrong = reply.tool(SUBMIT, { output: { city: 'Oslo', degrees: 'cold' } });

/** The cases. The wires of all providers, and a chat, end alike. */
export const CASES: readonly ToolCase[] = [
  { title: 'works, then answers', script: [work, submit], ends: 'ok 2' },
  {
    title: 'calls several tools in one step',
    script: [reply.steps([work, reply.tool('getTime', {}), work]), submit],
    ends: 'ok 2',
  },
  {
    title: 'calls a tool with wrong arguments',
    script: [reply.tool('getTemperature', { town: 1 }), work, submit],
    ends: 'ok 3',
  },
  {
    title: 'calls a tool with unreadable arguments',
    script: [reply.toolText('getTemperature', '{"city": "Os'), work, submit],
    ends: 'ok 3',
  },
  { title: 'invents a tool', script: [reply.tool('searchWeb', { q: 'x' }), submit], ends: 'ok 2' },
  { title: 'calls a tool that never returns', script: [reply.tool('hang', {}), submit], ends: 'ok 2' },
  { title: 'calls a tool that throws', script: [reply.tool('fail', {}), submit], ends: 'ok 2' },
  { title: 'answers wrongly, then rightly', script: [work, wrong, submit], ends: 'ok 3' },
  { title: 'answers without the envelope', script: [work, reply.tool(SUBMIT, RIGHT_DEGREES)], ends: 'ok 2' },
  {
    title: 'answers by a text that is exactly the answer',
    script: [work, reply.text(JSON.stringify(RIGHT_DEGREES))],
    ends: 'ok 2',
  },
  {
    title: 'writes white space after the answer up to the limit',
    script: [work, reply.text(`${JSON.stringify(RIGHT_DEGREES)}\n\n\n`, { finishReason: 'length' })],
    ends: 'ok 2',
  },
  {
    title: 'writes text twice before the answer',
    script: [work, reply.text('It is cold.'), reply.text('7 degrees.'), submit],
    ends: 'ok 4',
  },
  {
    title: 'answers beside work',
    script: [reply.steps([work, submit]), work, submit],
    ends: 'ok 3',
  },
  {
    title: 'works as long as it is offered tools',
    script: (turn) => answerIfDue(turn) ?? worksDifferently(turn),
    maxSteps: 6,
    ends: 'ok 5',
  },
  { title: 'repeats one call as long as it is offered tools', script: obeys, ends: 'ok 6' },
  {
    title: 'repeats one call until it is told so',
    script: (turn) => (/You have this result already/u.test(turn.lastToolResult?.text ?? '') ? submit : work),
    ends: 'ok 4',
  },
  {
    title: 'works for ever, whatever it is offered',
    script: worksDifferently,
    maxSteps: 6,
    ends: 'step_budget 6',
  },
  { title: 'always writes text', script: () => reply.text('I think it is cold.'), ends: 'text_only 5' },
  { title: 'always answers wrongly', script: () => wrong, ends: 'validation_exhausted 3' },
  { title: 'answers nothing', script: [work, reply.text('')], ends: 'empty_response 2' },
  { title: 'refuses', script: [work, reply.text('No.', { finishReason: 'refusal' })], ends: 'refused 2' },
  { title: 'belongs to a service that refuses to force a call', script: refusesForce, ends: 'ok 3' },
];
