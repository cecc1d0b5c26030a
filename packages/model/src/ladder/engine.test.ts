import { expect, it } from 'vitest';
import type { GenerateModel } from '../call/generate-options.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { engineOf, recognize, recordRefusal, standingFor } from './engine.ts';
import { drop } from './ladder.ts';
import { openStepsOf } from './model-steps.ts';

const PLACE = { baseURL: 'http://127.0.0.1:1/v1', model: 'm' };
const NO_KEY = (): string => '';

function learn(model: GenerateModel): void {
  const engine = engineOf(model);
  engine.standing = drop(engine.standing, ['schema']);
}

it('shares what was learned with each model object of the address and the name', () => {
  learn(openAICompatible(PLACE));
  const steps = (place: Parameters<typeof openAICompatible>[0]): string =>
    openStepsOf(openAICompatible(place), NO_KEY)[0] ?? '';
  expect(steps({ ...PLACE, baseURL: 'http://127.0.0.1:1/v1/' })).toBe('object');
  expect(steps({ ...PLACE, model: 'other' })).toBe('schema');
  expect(steps({ ...PLACE, baseURL: 'http://127.0.0.1:2/v1' })).toBe('schema');
  // A gateway can choose the server by a header.
  expect(steps({ ...PLACE, headers: { 'x-server': 'b' } })).toBe('schema');
});

it('forgets it once the server says that it is another one', () => {
  const model = openAICompatible(PLACE);
  recognize(model, 'uvicorn');
  learn(model);
  for (const same of ['uvicorn', null]) {
    recognize(model, same);
    expect(openStepsOf(model, NO_KEY)[0]).toBe('object');
  }
  recognize(model, 'llama.cpp');
  expect(openStepsOf(model, NO_KEY)).toEqual(['schema', 'object', 'required', 'json', 'text']);
});

it('keeps the refusal of a schema for that schema', () => {
  const engine = engineOf(openAICompatible(PLACE));
  recordRefusal(engine, { step: 'object', schema: 'a' }, { type: 'schema' });
  expect([...standingFor(engine, () => 'a').dropped]).toEqual(['schema', 'object']);
  expect([...standingFor(engine, () => 'b').dropped]).toEqual([]);
});
