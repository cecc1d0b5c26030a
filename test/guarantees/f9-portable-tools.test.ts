/** Tests of F9: tools of a client whose schemas contain what one of the tried engines cannot read. */
import { expect } from 'vitest';
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { declareGuarantee } from './guarantee.ts';
import { startServer, type StartedServer } from './routes/server.ts';
import { isPortable, propertiesOf, TROUBLE } from './sent-schemas.ts';

const SCHEMA = z.toJSONSchema(TROUBLE);

async function sendPortable(ask: (server: StartedServer) => Promise<unknown>): Promise<void> {
  await using service = await scriptedModelServer({ localServer: 'vllm', script: () => reply.text('No.') });
  await using server = await startServer({ serviceUrl: service.openaiUrl });
  await ask(server);
  const look = service.turns[0]?.tools.find(({ name }) => name === 'look');
  const { day, code, kind, tags, note } = propertiesOf(look?.inputSchema);
  for (const pattern of [day?.['pattern'], code?.['pattern']]) {
    expect([pattern, isPortable(pattern)]).toEqual([pattern, true]);
  }
  expect(kind).not.toHaveProperty('format');
  expect(tags).not.toHaveProperty('uniqueItems');
  expect(note).not.toHaveProperty('maxLength');
}

declareGuarantee('F9', {
  chat: () =>
    sendPortable((server) => server.chat('Look.', { tools: [{ name: 'look', input_schema: SCHEMA }] })),
  wire: () =>
    sendPortable((server) =>
      server.completion({ tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }] }),
    ),
});
