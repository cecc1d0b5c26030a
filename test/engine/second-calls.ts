/**
 * Second calls: how often each way of asking again gets a right value, after the same first replies. Run by
 * `node test/engine/second-calls.ts --url http://127.0.0.1:8080/v1 --model NAME [--answers 400] [--from 1]
 * [--steps schema,json] [--tokens 300] [--scalars] [--save second-calls.jsonl]`. `--scalars` takes only the schemas
 * without lists and objects, whose answers are short.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import type { ModelReply } from '../../packages/model/src/call/model-reply.ts';
import type { LadderStep } from '../../packages/model/src/ladder/ladder.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { makeMode, type ModelMode } from '../../packages/model/src/modes/answer-mode.ts';
import { MAX_TOKENS, TEMPERATURE } from './askers/asker.ts';
import { FORM_CASES, type FormCase } from './form-cases.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080/v1' },
    model: { type: 'string', default: 'default' },
    answers: { type: 'string', default: '400' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: 'schema,json' },
    tokens: { type: 'string', default: String(MAX_TOKENS) },
    scalars: { type: 'boolean', default: false },
    save: { type: 'string' },
  },
});

/** Steps of the ladder whose answer is a text. The JSON mode tells the schema in any case. */
const STEPS = (['schema', 'json'] as const satisfies readonly LadderStep[]).filter((step) =>
  values.steps.split(',').includes(step),
);
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);
const FORMS = FORM_CASES.filter((form) => !values.scalars || hasScalarsOnly(form));
const RETRIES_LEFT = 2;

/** Ways to ask again: the value with its issues, the question, and the question with the schema in words. */
type Way = 'back' | 'anew' | 'told';

/** Counts by step and kind of the first reply. */
const counts = new Map<string, Record<Way | 'answers', number>>();
const model = openAICompatible({ baseURL: values.url, model: values.model });

for (let seed = Number(values.from); counted() < Number(values.answers); seed += 1) {
  for (const form of FORMS) for (const step of STEPS) await compare(form, step, seed);
  say(JSON.stringify(Object.fromEntries(counts)));
}

function hasScalarsOnly({ schema }: FormCase): boolean {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  return Object.values(properties).every((part) => typeof part === 'object' && SCALARS.has(part.type));
}

/** Requests a first reply, and a second one by each way if the first is refused. */
async function compare({ name, prompt, schema }: FormCase, step: LadderStep, seed: number): Promise<void> {
  const mode = makeMode(step, { output: Output.object({ schema }), model, said: [prompt] });
  const asked: readonly ModelMessage[] = [{ role: 'user', content: prompt }];
  const question = mode.open(asked, false);
  const first = await ask(mode, question, seed);
  const judged = await mode.read(first);
  if (judged.success) return;
  const { code } = judged.error;
  const isValue = code === 'schema-mismatch';
  const again: Partial<Record<Way, readonly ModelMessage[]>> = {
    anew: question,
    ...(step !== 'json' && { told: mode.open(asked, true) }),
    ...(isValue && { back: [...question, ...mode.feedback(first, judged.error, RETRIES_LEFT)] }),
  };
  // In JSON mode, a cut reply is asked anew by each rule.
  if (step === 'json' && !isValue) return;
  const texts: Record<string, string> = { first: first.text };
  const key = `${step}, ${isValue ? 'a value that is refused' : code}`;
  const count = counts.get(key) ?? { answers: 0, back: 0, anew: 0, told: 0 };
  counts.set(key, count);
  count.answers += 1;
  const accepted: Way[] = [];
  for (const way of ['back', 'anew', 'told'] as const) {
    const messages = again[way];
    if (messages === undefined) continue;
    const reply = await ask(mode, messages, way === 'back' ? seed : seed + 1);
    texts[way] = reply.text;
    if (!(await mode.read(reply)).success) continue;
    accepted.push(way);
    count[way] += 1;
  }
  if (values.save !== undefined) {
    appendFileSync(values.save, `${JSON.stringify({ name, key, seed, accepted, texts })}\n`);
  }
}

async function ask(mode: ModelMode, messages: readonly ModelMessage[], seed: number): Promise<ModelReply> {
  const { nativeSchema, isJsonMode } = mode.request;
  const form =
    nativeSchema === undefined
      ? { type: isJsonMode === true ? 'json_object' : 'text' }
      : { type: 'json_schema', json_schema: { name: 'answer', schema: nativeSchema, strict: true } };
  const settings = { model: values.model, temperature: TEMPERATURE, max_tokens: Number(values.tokens), seed };
  const response = await fetch(`${values.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...settings, messages, response_format: form }),
  });
  const body: unknown = await response.json();
  const choices = isRecord(body) && Array.isArray(body['choices']) ? body['choices'] : [];
  const [choice] = choices.filter(isRecord);
  if (choice === undefined) throw new Error(`Expected a reply, got ${JSON.stringify(body)}.`);
  const { message } = choice;
  const text = isRecord(message) && typeof message['content'] === 'string' ? message['content'] : '';
  return {
    text,
    reasoningText: '',
    toolCalls: [],
    finishReason: choice['finish_reason'] === 'length' ? 'length' : 'stop',
    messages: [{ role: 'assistant', content: text }],
    usage: undefined,
    modelId: values.model,
    droppedSchema: false,
  };
}

function counted(): number {
  return [...counts.values()].reduce((sum, { answers }) => sum + answers, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
