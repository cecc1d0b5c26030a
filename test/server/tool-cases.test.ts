/**
 * The cases of models with tools through a chat: the same are answered as by `generate()`, and the others
 * end for the same reasons.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ANSWER, CASES, RIGHT_DEGREES, TOOLS, type ToolCase } from '../answers/tool-cases.ts';
import { forgetEngines } from '../../packages/model/src/ladder/engine.ts';
import { toServerTools } from '../../packages/server/src/tools/to-server-tools.ts';
import type { OwnTools } from '../../packages/server/src/tools/own-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { message, testServer, type TestServerOptions } from './test-server.ts';

const schema = z.toJSONSchema(ANSWER);
/** A chat has no limit of a tool's time: its turn is interrupted instead. */
const { hang: _hang, ...others } = TOOLS;
const tools = toServerTools(others as unknown as OwnTools);
const PLAYED = CASES.filter(({ title }) => title !== 'calls a tool that never returns');

/** Capabilities of the model. */
const MODELS: Readonly<Record<string, TestServerOptions['capabilities']>> = {
  'a hosted service': {},
  'a server of unknown make': { isLearned: true },
};

/** Asked for text after its first text, an unknown server answers wrongly instead of not at all. */
function expectedEnd({ title, ends }: ToolCase, isLearned: boolean): string {
  const [end = ''] = ends.split(' ');
  return isLearned && title === 'always writes text' ? 'validation_exhausted' : end;
}

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

async function endOf(
  { script, maxSteps = 20 }: ToolCase,
  capabilities: NonNullable<TestServerOptions['capabilities']>,
): Promise<string> {
  forgetEngines();
  await using server = await testServer({ store, tools, script, capabilities, ports: { maxSteps } });
  const requestId = crypto.randomUUID();
  await server.ask(message('How cold is it in Oslo?', { requestId, schema }));
  const { receipt } = await server.receipt(requestId);
  const requests = server.scripted.turns.length;
  if (receipt?.status !== 'succeeded') return `${receipt?.error?.reason} ${requests}`;
  expect(receipt.value).toEqual(RIGHT_DEGREES);
  return `ok ${requests}`;
}

describe.each(Object.entries(MODELS))('a chat with %s', (_, capabilities = {}) => {
  it.each(PLAYED)('ends as `generate()` after a model that $title', async (each) => {
    const [end] = (await endOf(each, capabilities)).split(' ');
    expect(end).toBe(expectedEnd(each, capabilities.isLearned === true));
  });

  it('ends a repeated call within six requests', async () => {
    const repeating = PLAYED.filter(({ title }) => title.startsWith('repeats one call'));
    expect(repeating).toHaveLength(2);
    for (const each of repeating) {
      expect(Number((await endOf(each, capabilities)).split(' ')[1])).toBeLessThanOrEqual(6);
    }
  });
});
