/** Runs the clients of `examples/openai-client` against a server with the scripted model. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChatServer, type ChatServer } from '../../packages/server/src/index.ts';
import { describeUnless, missing } from '../needs.ts';

const FOLDER = fileURLToPath(new URL('../../examples/openai-client/', import.meta.url));

let server: ChatServer;
let token: string;
beforeAll(async () => {
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: {},
    models: ['scripted:demo'],
  });
  ({ token } = await server.createToken({ name: 'example' }));
});
afterAll(() => server.close());

async function runClient(
  program: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout, stderr, exitCode } = await execa(program, [join(FOLDER, file)], {
    env: { TRUECAST_URL: server.url, TRUECAST_TOKEN: token, ...env },
    timeout: 240_000,
    reject: false,
  });
  return exitCode === 0 ? stdout : `exit ${exitCode}: ${stderr}`;
}

const CITY = /^\{"name":"[^"]+","people":\d+\}$/u;

it("gets a typed answer with OpenAI's client for JavaScript", async () => {
  expect(await runClient(process.execPath, 'client.mjs')).toMatch(CITY);
});

describeUnless(missing('python3'), 'in Python, with the standard library alone', () => {
  it('gets a typed answer', async () => {
    expect(await runClient('python3', 'client.py')).toMatch(CITY);
  });

  it('prints why the server refused', async () => {
    expect(await runClient('python3', 'client.py', { TRUECAST_TOKEN: 'tc_wrong' })).toMatch(
      /^exit 1: The token is unknown or revoked\./u,
    );
    expect(await runClient('python3', 'client.py', { TRUECAST_MODEL: 'scripted:dem' })).toMatch(
      /^exit 1: .*Did you mean `scripted:demo`\?/u,
    );
  });
});
