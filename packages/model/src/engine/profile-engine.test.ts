import { describe, expect, it } from 'vitest';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';
import { scriptedModelServer } from '../../../testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../../testing/src/scripted-model/turn/scripted-reply.ts';
import type {
  LocalServerName,
  ScriptedTurn,
} from '../../../testing/src/scripted-model/turn/scripted-turn.ts';
import { ENGINE_ABILITIES } from './engine-questions.ts';
import { profileEngine, type EngineProfile } from './profile-engine.ts';

/** Writes what the engine's grammar allows, and prose without one. */
function engine({ jsonSchema, toolChoice, tools, body }: ScriptedTurn): ScriptedReply {
  if (jsonSchema !== undefined) return reply.json(sampleValue(jsonSchema));
  const [first] = tools;
  const name = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  if (name !== undefined) return reply.tool(name, {});
  if (toolChoice === 'required' && first !== undefined) return reply.tool(first.name, {});
  return JSON.stringify(body).includes('"json_object"') ? reply.text('{"sea":1}') : reply.text('Blue.');
}

async function profile(localServer?: LocalServerName): Promise<EngineProfile> {
  await using server = await scriptedModelServer({
    script: engine,
    contextTokens: 4_096,
    ...(localServer !== undefined && { localServer }),
  });
  const found = await profileEngine({ url: server.openaiUrl, model: 'scripted' });
  expect(server.failures).toEqual([]);
  return found;
}

function heldBy({ abilities }: EngineProfile): readonly string[] {
  return ENGINE_ABILITIES.filter((ability) => abilities[ability] === 'holds');
}

describe('a profile', () => {
  it('of llama.cpp has its dropped bounds and choices', async () => {
    const found = await profile('llama.cpp');
    const lost = ['named-tool', 'required-tool', 'number-range'];
    expect(heldBy(found)).toEqual(ENGINE_ABILITIES.filter((ability) => !lost.includes(ability)));
    expect(found).toMatchObject({ contextTokens: 4_096, stopsRequests: true });
  });

  it('of llama-cpp-python is asked in its own form, and its process does not end', async () => {
    const found = await profile('llama-cpp-python');
    expect(found.abilities.schema).toBe('refuses');
    expect(heldBy(found)).toEqual([
      'schema-in-json-mode',
      'json-mode',
      'named-tool',
      'pattern',
      'pattern-class',
      'date',
      'length',
      'item-count',
      'keys',
      'references',
    ]);
  });

  it('of a server that ignores everything has nothing', async () => {
    await using server = await scriptedModelServer({
      localServer: 'ollama',
      script: () => reply.text('The sea is blue.'),
    });
    const found = await profileEngine({ url: server.openaiUrl, model: 'scripted' });
    expect(heldBy(found)).toEqual([]);
    expect(server.turns).toHaveLength(ENGINE_ABILITIES.length + 2);
  });

  it('rejects if no engine is there', async () => {
    await expect(profileEngine({ url: 'http://127.0.0.1:9/v1', model: 'x' })).rejects.toThrow();
  });
});
