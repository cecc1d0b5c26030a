/** Tests of E4: requests with what a model can get only in another form, or not at all. */
import { expect } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { startServer } from './routes/server.ts';
import { passWholeRequest } from './routes/served-runs.ts';

const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } } as const;

declareGuarantee('E4', {
  runs: passWholeRequest,
  chat: async () => {
    await using service = await scriptedModelServer({ script: () => reply.text('A cat.') });
    await using server = await startServer({ serviceUrl: service.openaiUrl });
    for (const field of ['reasoning', 'guided_json', 'top_k']) {
      const { status, text } = await server.ask('/api/chats', { content: 'Look.', [field]: { a: 1 } });
      expect([field, status, text.includes(field)]).toEqual([field, 400, true]);
    }
    const [, data] = PICTURE.split(',');
    const file = { type: 'file', media_type: 'image/png', data };
    await server.chat('', { content: [{ type: 'text', text: 'Look.' }, file] });
    expect(service.turns.map(({ body }) => JSON.stringify(body).includes(data ?? ''))).toEqual([true]);
  },
  wire: async () => {
    await using service = await scriptedModelServer({ script: () => reply.text('A cat.') });
    await using server = await startServer({ serviceUrl: service.openaiUrl });
    await server.ask('/v1/responses', {
      model: 'local:m',
      tools: [
        { type: 'namespace', name: 'crew', tools: [look] },
        { type: 'custom', name: 'patch' },
      ],
      input: [
        { role: 'user', content: 'Look.' },
        { type: 'function_call', call_id: 'c', name: 'look', namespace: 'crew', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: PICTURE }] },
      ],
    });
    const [turn] = service.turns;
    expect(turn?.tools.map(({ name }) => name)).toEqual(['look', 'patch']);
    expect(JSON.stringify(turn?.body)).toContain('iVBORw0KGgo=');
    const named = await server.completion({ guided_json: { type: 'object' }, reasoning: { effort: 'low' } });
    expect(named.ignored).toBe('guided_json, reasoning');
    const refused = await server.completion({ n: 2 });
    expect([refused.isAccepted, refused.message.includes('`n`')]).toEqual([false, true]);
  },
});
