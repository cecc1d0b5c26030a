/**
 * Short form of the engine proof: eight schemas with short answers, one seed, by `generate()` and through our
 * server, and an event of an ensemble for each note. It asserts counted work only. Without the engine's files, a
 * scripted imitation of llama.cpp answers, and the run prints so.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleValue } from '../../packages/core/src/schema/sample/sample-value.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MAX_CALLS, type Asker } from './askers/asker.ts';
import { eventAsker } from './askers/event-asker.ts';
import { OUR_ASKERS } from './askers/our-askers.ts';
import { PEER_ASKERS } from './askers/peer-askers.ts';
import { SERVER_ASKERS } from './askers/server-askers.ts';
import { countingProxy, type CountingProxy } from './counting-proxy.ts';
import { FORM_CASES, formPrompt } from './form-cases.ts';
import { addLegs, runLeg, type LegResult } from './run-leg.ts';
import { findEngine, startEngine, type RunningEngine } from './start-engine.ts';

/** Their notes are short: each place of the engine reads each. */
const MEETING = 'Board meeting on 14 May 2026 at 15:30 in room B-204. Vote: six for, one against.';
const LETTER = 'The lift has been broken since Monday. Call me at +49 30123456.';
const INVOICE = 'Invoice from Harbor Paint Ltd to the Tide Hotel.';
const FORM_NOTES = new Map([
  ['date', MEETING],
  ['room', MEETING],
  ['kind', INVOICE],
  ['share', MEETING],
  // Else a small model lists topics up to the limit, and is asked again.
  ['topics', 'Board meeting on one topic: the roof.'],
  ['votes', MEETING],
  ['time', MEETING],
  ['phone', LETTER],
]);
const FORMS = FORM_CASES.flatMap((form) => {
  const note = FORM_NOTES.get(form.name);
  return note === undefined ? [] : [{ ...form, prompt: formPrompt(note) }];
});
const GRANTS = 2;
const EVENT_ASKER = eventAsker([
  'The roof leaks.',
  'Paint for the hotel.',
  'The lift stands still.',
  'Lantern is out.',
  'Soup for four.',
]);
/** Each note, with one of the two grants in turns. */
const EVENTS = (EVENT_ASKER.forms ?? []).filter((_, at) => at % GRANTS === Math.floor(at / GRANTS) % GRANTS);
/** Answers at the same time: the engine reads its weights once for a token of each. */
const LANES = 4;
/** Of one reply. A small model repeats itself up to any limit. */
const REPLY_TOKENS = 48;
/** The text of an event has no end for it. */
const EVENT_TOKENS = 24;
/** Under a minute on two idle cores. A busy machine writes some tokens a second. */
const TIMEOUT = { timeout: 900_000 };
const files = findEngine(process.env);
let engine: RunningEngine;
let proxies: readonly CountingProxy[];

beforeAll(async () => {
  if (files === undefined) {
    process.stderr.write('engine proof: no llama-server, so a scripted imitation of llama.cpp answers.\n');
  }
  const places = { contextTokens: LANES * 4_096, extra: ['-np', String(LANES)] };
  engine = files === undefined ? await startImitation() : await startEngine(files, places);
  proxies = await Promise.all(Array.from({ length: LANES }, () => countingProxy(engine.url)));
});
afterAll(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

/** Writes what the grammar allows. Without one, it writes prose. */
async function startImitation(): Promise<RunningEngine> {
  const server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: ({ jsonSchema }) =>
      jsonSchema === undefined ? reply.text('It was a long meeting.') : reply.json(sampleValue(jsonSchema)),
  });
  return {
    name: 'imitation',
    url: server.openaiUrl,
    model: 'scripted',
    [Symbol.asyncDispose]: async () => server.close(),
  };
}

/** Runs a leg, whose cases are shared among the lanes. */
async function leg(id: string): Promise<LegResult> {
  const asker = [...OUR_ASKERS, EVENT_ASKER, ...PEER_ASKERS, ...SERVER_ASKERS].find((each) => each.id === id);
  const cases = asker === EVENT_ASKER ? EVENTS : FORMS;
  const lanes = proxies.map((proxy, lane) => {
    const forms = cases.filter((_, at) => at % LANES === lane);
    return runLeg({ ...(asker as Asker), forms }, proxy, {
      forms,
      seeds: 1,
      model: engine.model,
      maxTokens: asker === EVENT_ASKER ? EVENT_TOKENS : REPLY_TOKENS,
    });
  });
  const [first, ...others] = await Promise.all(lanes);
  return others.reduce((sum, other) => addLegs(sum, other), first as LegResult);
}

it('generate() accepts only right values, and more than a client that asks once', TIMEOUT, async () => {
  const ours = await leg('auto');
  const once = await leg('openai');
  expect(ours.wrong).toBe(0);
  expect(ours.calls).toBeLessThanOrEqual(ours.asked * MAX_CALLS);
  expect(ours.accepted).toBeGreaterThanOrEqual(once.accepted);
  expect(ours.accepted).toBeGreaterThanOrEqual(6);
});

/** Calls for one answer behind our server, which asks at most five times. */
const SERVED_CALLS = 5;

it.each([
  ["OpenAI's client through /v1", 'wire'],
  ['a chat message with a format', 'chat'],
  ['a forced function through /v1', 'function'],
  ['a required function through /v1', 'required'],
])('%s gets right values from the same engine', TIMEOUT, async (_who, id) => {
  const { asked, accepted, wrong, calls } = await leg(id);
  expect(asked).toBe(FORMS.length);
  expect(wrong).toBe(0);
  expect(calls).toBeLessThanOrEqual(asked * SERVED_CALLS);
  expect(accepted).toBeGreaterThanOrEqual(5);
});

it('an agent of an ensemble emits events by its schema', TIMEOUT, async () => {
  const { asked, accepted, wrong, calls } = await leg(EVENT_ASKER.id);
  expect(asked).toBe(EVENTS.length);
  expect(wrong).toBe(0);
  expect(calls).toBeLessThanOrEqual(asked * MAX_CALLS);
  expect(accepted).toBeGreaterThanOrEqual(4);
});
