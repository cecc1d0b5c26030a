/** Models of an ensemble with different modes. */
import { expect, it } from 'vitest';
import { reply, scriptedModelServer } from '@truecast/model/testing';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { manifestOf, turnOf } from '../agent/test-turns.ts';
import { manifestAgent } from '../agent/manifest-agent.ts';
import { aiSdkProvider } from '../providers/ai-sdk-provider.ts';
import { openAICompatible } from '@truecast/model';
import { createModelRouter } from './model-router.ts';
import { readModelsManifest } from './models-manifest.ts';

const EVENT = '{"kind":"agent.spoke","text":"Gulls sit on the pier."}';

async function bodyWith(mode: string): Promise<string> {
  await using server = await scriptedModelServer({ script: () => reply.text(EVENT) });
  const yaml = `profiles:\n  fast: { endpoint: ${server.openaiUrl}, model: m${mode} }\n`;
  const { manifest, problems } = readModelsManifest(
    { text: yaml, file: 'models.yaml' },
    { env: {}, isAllowed: true },
  );
  expect(problems).toEqual([]);
  if (manifest === undefined) throw new TypeError('no manifest');
  const provider = createModelRouter({ models: manifest, env: {} }).providerOf(manifestOf());
  const act = await manifestAgent({ manifest: manifestOf(), provider }).act(turnOf());
  expect(act).toMatchObject({ type: 'event', kind: 'agent.spoke' });
  return String(server.requests[0]?.body);
}

it.each([
  ['native', '"json_schema"'],
  ['tool', '"tool_choice"'],
  ['json', '"json_object"'],
])('`mode: %s` of `models.yaml` decides how an answer is requested', async (mode, marker) => {
  const body = await bodyWith(`, mode: ${mode}`);
  for (const each of ['"json_schema"', '"tool_choice"', '"json_object"']) {
    expect(body.includes(each), each).toBe(each === marker);
  }
});

it('names a mode that does not exist, in `models.yaml` and in `aiSdkProvider()`', () => {
  const yaml = 'profiles:\n  fast: { endpoint: http://localhost:1/v1, model: m, mode: xml }\n';
  const { problems } = readModelsManifest({ text: yaml, file: 'models.yaml' }, { env: {}, isAllowed: true });
  expect(problems.map(({ message }) => message).join()).toContain('one of native, tool, json');
  const model = openAICompatible({ baseURL: 'http://localhost:1/v1', model: 'm' });
  // From JavaScript.
  const options = { mode: 'xml' } as never;
  expect(() => aiSdkProvider(model, options)).toThrow(UsageError);
  expect(() => aiSdkProvider(model, options)).toThrow(/`mode` to be auto, native, tool, json, got `"xml"`/u);
});
