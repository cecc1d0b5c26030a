/** Misbehaviours of small models and their servers, and how many requests an answer takes after each. */
import { z } from 'zod';
import { isDeepStrictEqual } from 'node:util';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import {
  RIGHT,
  bytes,
  callsTool,
  choice,
  dropped,
  rawServer,
  right,
  status,
  stream,
  text,
  type Respond,
} from './test-misbehaviour.ts';

const output = Output.object({ schema: z.strictObject({ moons: z.number(), planet: z.string() }) });
const VALUE = { moons: 2, planet: 'Mars' };

const chunkOf = (content: string): string => `data: ${JSON.stringify(choice({ content }))}\n\n`;
const error = (message: string): string => JSON.stringify({ error: { message } });
const message = (said: object, reason = 'stop'): string =>
  JSON.stringify({ choices: [{ index: 0, message: said, finish_reason: reason }] });

/** Misbehaviour that no request repairs. */
export const SILENT = 'a silent connection';

const MISBEHAVIOURS: Readonly<Record<string, Respond>> = {
  // fences
  'a fence': text(`\`\`\`json\n${RIGHT}\n\`\`\``),
  'a fence without a language': text(`\`\`\`\n${RIGHT}\n\`\`\``),
  'a fence after a sentence': text(`Here you are:\n\`\`\`json\n${RIGHT}\n\`\`\``),
  'a fence before a sentence': text(`\`\`\`json\n${RIGHT}\n\`\`\`\nAnything else?`),
  'a fence that is not closed': text(`\`\`\`json\n${RIGHT}`),
  'the answer in two fences': text(`\`\`\`json\n${RIGHT}\n\`\`\`\nor\n\`\`\`json\n${RIGHT}\n\`\`\``),
  // prose around
  'a sentence before': text(`Sure! ${RIGHT}`),
  'a sentence after': text(`${RIGHT} Enjoy!`),
  'sentences on both sides': text(`Sure! ${RIGHT} Enjoy!`),
  'braces in the prose': text(`In {curly} braces: ${RIGHT}`),
  'tags around': text(`<answer>${RIGHT}</answer>`),
  'a byte order mark': text(`\uFEFF${RIGHT}`),
  'bold marks': text(`**${RIGHT}**`),
  // reasoning
  'reasoning before': text(`<think>Deimos, Phobos.</think>${RIGHT}`),
  'the end of its reasoning only': text(`Deimos, Phobos.</think>${RIGHT}`),
  'reasoning without an end': text('<think>Deimos, Phobos, and'),
  'a draft in the reasoning': text(`<think>{"moons":1,"planet":"Mars"}</think>\n\n${RIGHT}`),
  'harmony channels': text(
    `<|channel|>analysis<|message|>Two.<|end|><|start|>assistant<|channel|>final<|message|>${RIGHT}<|return|>`,
  ),
  'the answer as reasoning': stream([choice({ reasoning_content: RIGHT }), choice({}, 'stop')]),
  'an end token </s>': text(`${RIGHT}</s>`),
  'an end token <|eot_id|>': text(`${RIGHT}<|eot_id|>`),
  'an end token <|im_end|>': text(`${RIGHT}<|im_end|>`),
  // truncation
  'a reply at the token limit': text('{"moons":2,"pla', 'length'),
  'a reply that stops early': text('{"moons":2,"planet":"Ma'),
  'a missing brace': text('{"moons":2,"planet":"Mars"'),
  // tool calls
  'a call that nobody offered': callsTool('answer', RIGHT),
  'a call of another tool': callsTool('search', '{"query":"moons of Mars"}'),
  'a call without arguments': callsTool('answer', ''),
  'a call whose arguments are cut': callsTool('answer', '{"moons":2,'),
  'a call beside the answer': callsTool('search', '{"query":"moons"}', RIGHT),
  'a call in its text': text(`<tool_call>${RIGHT}</tool_call>`),
  'a call in its text, with its name': text(`<tool_call>{"name":"answer","arguments":${RIGHT}}</tool_call>`),
  // stringified and wrapped
  'JSON in a string': text(JSON.stringify(RIGHT)),
  'a wrapper': text(`{"answer":${RIGHT}}`),
  'a wrapper with a string': text(`{"answer":${JSON.stringify(RIGHT)}}`),
  'a list of one': text(`[${RIGHT}]`),
  'values in objects': text('{"moons":{"value":2},"planet":{"value":"Mars"}}'),
  'the schema': text('{"type":"object","properties":{"moons":{"type":"number"}}}'),
  'the schema with values': text(`{"type":"object","properties":${RIGHT}}`),
  // wrong members
  'keys in the wrong case': text('{"Moons":2,"Planet":"Mars"}'),
  'a number as a string': text('{"moons":"2","planet":"Mars"}'),
  'a number in words': text('{"moons":"two","planet":"Mars"}'),
  null: text('{"moons":null,"planet":"Mars"}'),
  'a missing member': text('{"moons":2}'),
  'another member': text('{"moons":2,"planet":"Mars","note":"I am sure."}'),
  // syntax
  'a trailing comma': text('{"moons":2,"planet":"Mars",}'),
  'single quotes': text("{'moons':2,'planet':'Mars'}"),
  'bare keys': text('{moons:2,planet:"Mars"}'),
  comments: text('{"moons":2, // Deimos, Phobos\n"planet":"Mars"}'),
  'curly quotes': text('{“moons”:2,“planet”:“Mars”}'),
  'no comma between members': text('{"moons":2 "planet":"Mars"}'),
  'a duplicate key': text('{"moons":1,"moons":2,"planet":"Mars"}'),
  NaN: text('{"moons":NaN,"planet":"Mars"}'),
  'two answers': text('{"moons":1,"planet":"Mars"} {"moons":2,"planet":"Mars"}'),
  'the same answer twice': text(`${RIGHT}\n${RIGHT}`),
  // no answer
  'a refusal': text("I'm sorry, I can't help with that."),
  prose: text('Mars has two moons.'),
  'an ellipsis': text('{...}'),
  nothing: text(''),
  spaces: text('   \n '),
  'a withheld reply': text('', 'content_filter'),
  'a huge reply': text('huge '.repeat(80_000)),
  'a huge string in the answer': text(`{"moons":"${'2'.repeat(400_000)}","planet":"Mars"}`),
  // the service
  'a refused response format': status(400, error('response_format is not supported')),
  'status 429': status(429, error('Slow down.')),
  'status 500': status(500, error('CUDA out of memory.')),
  'status 503 as text': status(503, 'Loading model', 'text/plain'),
  'no choice': status(200, '{"choices":[]}'),
  'a whole reply instead of a stream': status(200, message({ role: 'assistant', content: RIGHT })),
  'a whole reply without content': status(200, message({ role: 'assistant', content: null })),
  'an error within the stream': bytes([chunkOf('{"moons"'), `data: ${error('CUDA error')}\n\n`]),
  // transport
  'a closed connection': (response) => void response.destroy(),
  'a cut stream': dropped([chunkOf('{"moons"'), chunkOf(':2')]),
  'a stream without an end': bytes([chunkOf(RIGHT)]),
  'a stream without a reason of its end': bytes([chunkOf(RIGHT), 'data: [DONE]\n\n']),
  'lines that are no JSON': bytes([chunkOf('{"moons"'), 'data: {oops\n\n', 'data: [DONE]\n\n']),
  'invalid UTF-8': bytes(['data: {"choices":[{"delta":{"content":"', Uint8Array.of(0xff, 0xfe), '"}}]}\n\n']),
  'one byte at a time': text(RIGHT, 'stop', 1),
  [SILENT]: (response) => response.writeHead(200).flushHeaders(),
};

export const NAMES: readonly string[] = Object.keys(MISBEHAVIOURS);

/** The requests that a valid answer took, or the code of the error. */
async function outcomeOf(
  name: string,
  replies: readonly Respond[],
  isLenient: boolean,
): Promise<number | string> {
  await using server = await rawServer(replies);
  const model = openAICompatible({ baseURL: server.url, model: 'small' });
  const asked = { model, prompt: 'How many moons has Mars?', output, lenient: isLenient } as const;
  try {
    const { output: value } = await generate(
      name === SILENT ? { ...asked, timeouts: { idleMs: 300 } } : asked,
    );
    return isDeepStrictEqual(value, VALUE) ? server.requests() : 'wrong-value';
  } catch (error) {
    if (!TruecastError.isInstance(error)) throw error;
    return error.code;
  }
}

/** Plays each of them, with the replies that `repliesOf` makes of it. */
export async function outcomesOfMisbehaviour(
  repliesOf: (bad: Respond) => readonly Respond[],
  isLenient: boolean,
): Promise<Record<string, number | string>> {
  const entries = NAMES.map(async (name) => {
    const bad = MISBEHAVIOURS[name] ?? right;
    return [name, await outcomeOf(name, repliesOf(bad), isLenient)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** How many of them end with the right value within three requests, and the requests of these. */
export function countMended(found: Readonly<Record<string, number | string>>): {
  readonly mended: number;
  readonly requests: number;
} {
  const counts = Object.values(found).filter((each) => typeof each === 'number' && each <= 3);
  return { mended: counts.length, requests: counts.reduce<number>((sum, each) => sum + Number(each), 0) };
}

/** The most requests that all of them together take, strict and lenient. A change must not need more. */
export const MOST_REQUESTS: Readonly<Record<'strict' | 'lenient', number>> = { strict: 137, lenient: 115 };
