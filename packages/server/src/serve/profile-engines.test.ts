import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { engineOf, forgetEngines } from '@truecast/model/internal/ladder/engine';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';
import { resolveModel } from '../models/resolve-model.ts';
import { profileEngines } from './profile-engines.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'truecast-profile-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true, force: true });
});

it('an engine is asked once, kept, and its ladder starts with what it holds', async () => {
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: ({ jsonSchema }) =>
      jsonSchema === undefined ? reply.text('Blue.') : reply.json(sampleValue(jsonSchema)),
  });
  const find = () => resolveModel('local:small', { TRUECAST_BASE_URL: server.openaiUrl });
  const model = await find();
  const { signal } = new AbortController();
  const profiled: string[] = [];
  const onProfile = ({ endpoint }: { readonly endpoint: string }): void => void profiled.push(endpoint);
  await profileEngines([model], { afterMs: 0, onProfile, signal });
  const { proven, dropped } = engineOf(model.model).standing;
  expect([[...proven], [...dropped]]).toEqual([
    ['schema', 'object'],
    ['named', 'required', 'json'],
  ]);
  expect(readdirSync(join(state, 'truecast/engines'))).toHaveLength(1);

  const asked = server.turns.length;
  forgetEngines();
  await profileEngines([await find()], { afterMs: 0, onProfile, signal });
  expect(engineOf(model.model).standing.proven.has('schema')).toBe(true);
  expect(server.turns).toHaveLength(asked);
  expect(profiled).toEqual([server.openaiUrl]);
});
