/**
 * Tests the OpenAPI document as integrators use it: types are generated from it, a program compiles
 * against them, and runs.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../packages/server/src/http/openapi-document.ts';
import { ROUTES } from '../../packages/server/src/http/routes/all-routes.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer } from '../client/client-server.ts';
import { runSample } from './sample-client.ts';

const folder = dirname(fileURLToPath(import.meta.url));

it('is the committed document; `vitest -u` renews it', async () => {
  const document = await openApiDocument(ROUTES);
  await expect(`${JSON.stringify(document, undefined, 1)}\n`).toMatchFileSnapshot(
    join(folder, 'openapi.json'),
  );
});

it('gives the types that the sample program compiles against; `vitest -u` renews them', async () => {
  const types = await generateTypes(await openApiDocument(ROUTES));
  await expect(types).toMatchFileSnapshot(join(folder, 'openapi-types.d.ts'));
});

it('serves a client that was generated of it', async () => {
  const submitted = reply.toolText(FINALIZER_NAME, '{"output":{"name":"Oslo"}}');
  const { promise: followed, resolve: onFollowing } = Promise.withResolvers<void>();
  // The turn must not end before the stream begins, which then repeats only what remains.
  const first = async (): Promise<ScriptedReply> => {
    await followed;
    return submitted;
  };
  await using server = await clientServer([first, reply.text('You are welcome.')]);
  const { receipt, events, followUp, refusal } = await runSample(server.url, server.token, onFollowing);
  expect(receipt).toMatchObject({
    status: 'succeeded',
    value: { name: 'Oslo' },
    value_text: '{"name":"Oslo"}',
  });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['message', 'status', 'receipt']));
  expect(followUp.message ?? followUp.queued_message).toMatchObject({
    content: [{ type: 'text', text: 'Thanks.' }],
  });
  expect(refusal).toMatchObject({ code: 'chat_not_found', status: 404 });
});

/** Runs the generator as its users do: document in, types out. */
function generateTypes(document: object): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('openapi-typescript');
  const program = join(dirname(entry), '..', 'bin', 'cli.js');
  const hook = pathToFileURL(join(folder, 'use-typescript-5.ts')).href;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['--import', hook, program], (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new TypeError(stderr, { cause: error }));
    });
    child.stdin?.end(JSON.stringify(document));
  });
}
