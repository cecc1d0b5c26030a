/** Tests of the real `truecast serve` as a process on loopback. */
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { runCommand } from './run-command.ts';
import { temporaryFolder, truecast } from './cli-fixture.ts';
import { createdSchema, declareServer, QUESTION, serve, type RunningServer } from './serve-fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const TIMEOUT_MS = 90_000;

const City = z.object({ name: z.string(), people: z.int() });

/** Sends the head of a request without a body. Resolves when the server has received it. */
async function beginRequest({ url, token }: RunningServer): Promise<Socket & Disposable> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [
    'POST /api/chats HTTP/1.1',
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'content-length: 100',
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined);
  await once(socket, 'data');
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() });
}

describe('truecast serve', { timeout: TIMEOUT_MS }, () => {
  const shared = declareServer(serve);

  it('answers with a validated value from the scripted model if no key is set, and reports that model', async () => {
    const server = shared.server();
    expect(server.said()).toContain('scripted:demo');
    const database = /^database: (.*\/truecast\.sqlite)$/mu.exec(server.said())?.[1] ?? '';
    expect(existsSync(database), server.said()).toBe(true);
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
    const { chat, request_id: requestId } = createdSchema.parse(await server.ask('/api/chats', QUESTION));
    const receipt = await server.ask(`/api/chats/${chat.id}/requests/${requestId}?wait=30`);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { answer: 42 } });
    const written = { event: 'receipt', chat_id: chat.id, request_id: requestId, status: 'succeeded' };
    await expect.poll(server.logged).toContainEqual(expect.objectContaining(written));
  });

  it('takes up a turn after `kill -9`, with one receipt and its token, and leaves in order at Ctrl-C while a turn runs: its streams end whole', async () => {
    const cwd = temporaryFolder();
    let isHanging = true;
    await using model = await scriptedModelServer({
      script: async ({ signal }) => {
        if (isHanging) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return submit({ answer: 7 });
      },
    });
    const env = { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' };
    await using first = await serve(cwd, ['--log-level', 'error'], env);
    const { chat, request_id: requestId } = createdSchema.parse(await first.ask('/api/chats', QUESTION));
    await expect.poll(() => model.turns.length, { timeout: 20_000 }).toBe(1);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    expect(first.logged()).toEqual([]);
    isHanging = false;
    await using second = await serve(cwd, [], env);
    expect(second.token).toBe(first.token);
    const receipt = await second.ask(`/api/chats/${chat.id}/requests/${requestId}?wait=40`);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { answer: 7 } });
    const { messages } = Object(await second.ask(`/api/chats/${chat.id}/messages`));
    expect(JSON.stringify(messages).split('"type":"outcome"').length - 1).toBe(1);

    isHanging = true;
    const { length: before } = model.turns;
    const { chat: running } = createdSchema.parse(await second.ask('/api/chats', QUESTION));
    const stream = await fetch(`${second.url}/api/chats/${running.id}/stream`, {
      headers: { authorization: `Bearer ${second.token}` },
    });
    await expect.poll(() => model.turns.length, { timeout: 20_000 }).toBe(before + 1);
    expect(await second.end('SIGINT')).toBe(0);
    // A truncated stream would reject here.
    expect(await stream.text()).toContain('event: status');
  });

  it('answers the official client with validated values, out of the box', { timeout: 120_000 }, async () => {
    const server = shared.server();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token, maxRetries: 0 });
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['scripted:demo']);
    const model = data[0]?.id ?? '';
    const { choices } = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'How many?' }],
      response_format: QUESTION.response_format,
    });
    expect(choices[0]?.message.content).toBe('{"answer":42}');
    const completion = await client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: 'Which city?' }],
      response_format: zodResponseFormat(City, 'city'),
    });
    expect(City.safeParse(completion.choices[0]?.message.parsed).success).toBe(true);
    const stream = client.responses.stream({
      model,
      input: 'Which city?',
      text: { format: zodTextFormat(City, 'city') },
    });
    expect(City.safeParse((await stream.finalResponse()).output_parsed).success).toBe(true);
    await expect(client.models.retrieve('agent/claude-code')).rejects.toMatchObject({ status: 404 });
    const unlisted = client.chat.completions.create({ model: 'openai:gpt-5.4', messages: [] });
    await expect(unlisted).rejects.toMatchObject({ status: expect.any(Number) });
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'tc_wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  });

  it('keeps the note with the token to its own user', async () => {
    expect(shared.server().token).toMatch(/^tc_/u);
    expect(statSync(join(stateFolderOf(shared.cwd()), 'server.json')).mode & 0o777).toBe(0o600);
  });

  it('reports that a port is in use, and what to do', async () => {
    const port = new URL(shared.server().url).port;
    const { exitCode, stderr } = await truecast(
      temporaryFolder(),
      'serve',
      '--port',
      port,
      '--model',
      'scripted:demo',
    );
    expect(stderr).toMatch(/Port \d+ of 127\.0\.0\.1 is in use.*--port/su);
    expect(exitCode).toBe(2);
  });

  it('names the file and the member of a configuration that is wrong', async () => {
    const cwd = temporaryFolder();
    const text = `export default { models: ['scripted:demo'], limits: { maxSteps: 0 }, sandbx: 1 };\n`;
    await writeFile(join(cwd, 'truecast.config.ts'), text);
    const { exitCode, stderr } = await truecast(cwd, 'serve', '--port', '0');
    expect(stderr).toContain('truecast.config.ts');
    expect(stderr).toContain('limits.maxSteps');
    expect(stderr).toContain('`sandbx` is not a known option');
    expect(exitCode).toBe(2);
  });

  it('refuses a public host while no token exists', async () => {
    const cwd = temporaryFolder();
    const command = ['serve', '--port', '0', '--host', '0.0.0.0', '--model', 'scripted:demo'];
    const { exitCode, stderr } = await truecast(cwd, ...command);
    expect(stderr).toContain('truecast token create');
    expect(exitCode).toBe(2);
  });

  it('names the variable of the key that a model needs', async () => {
    const cwd = temporaryFolder();
    const env = { HOME: cwd, ANTHROPIC_API_KEY: undefined };
    const { exitCode, stderr } = await runCommand(['serve', '--model', 'anthropic:claude-sonnet-4-6'], {
      cwd,
      env,
    });
    expect(stderr).toMatch(/Set ANTHROPIC_API_KEY/u);
    expect(exitCode).toBe(2);
  });

  it("stops at once on a second signal, with that signal's exit code", async () => {
    // The last test of the file: it ends the server.
    const server = shared.server();
    // A request that does not end keeps the server from exiting at the first signal.
    using _request = await beginRequest(server);
    server.process.kill('SIGINT');
    server.process.kill('SIGTERM');
    expect([130, 143]).toContain(await server.end());
    expect(server.said()).toContain('Stopped at once.');
  });
});
