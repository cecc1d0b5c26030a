/** Tests of the real `truecast chat` with a real server and a scripted model. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { createChatServer } from '../../packages/server/src/index.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { temporaryFolder, truecast, type Ended } from './cli-fixture.ts';
import { declareServer, serveBeside } from './serve-fixture.ts';

const TIMEOUT_MS = 90_000;

describe('truecast chat', { timeout: TIMEOUT_MS }, () => {
  const shared = declareServer(serveBeside, 'scripted');

  it('prints the text of a turn, and continues the chat', async () => {
    const cwd = shared.cwd();
    shared.answer(({ messages, userText }) => reply.text(`${userText}, after ${messages.length} messages`));
    const first = await truecast(cwd, 'chat', 'one');
    expect(first).toMatchObject({ stdout: 'one, after 1 messages', exitCode: 0 });
    const id = /--chat (\S+)/u.exec(first.stderr)?.[1] ?? '';
    const second = await truecast(cwd, 'chat', 'two', '--chat', id);
    expect(second).toMatchObject({ stdout: 'two, after 3 messages', exitCode: 0 });
  });

  it('prints only the valid value, with all digits of its numbers', async () => {
    const cwd = shared.cwd();
    const text = '[0.12345678901234567890]';
    await writeFile(join(cwd, 'list.json'), JSON.stringify({ type: 'array', items: { type: 'number' } }));
    const right = reply.toolText('submit_structured_output', `{"output":{"value":${text}}}`);
    const replies = [submit({ value: ['no'] })];
    shared.answer(() => replies.shift() ?? right);
    const server = shared.server();
    const { stdout, exitCode, stderr } = await truecast(cwd, 'chat', 'Which?', '--schema', 'list.json');
    expect(stdout, stderr).toBe(text);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^✓ Sealed · valid at attempt 2 · \d+ s · \d+ tokens/mu);
    const [, page = ''] = /^In the console: (\S+)$/mu.exec(stderr) ?? [];
    expect(page.startsWith(`${server.url}/chats/`)).toBe(true);
    expect(await server.ask(page.slice(server.url.length).replace('/chats/', '/api/chats/'))).toMatchObject({
      status: 'succeeded',
      value_text: `{"value":${text}}`,
    });
  });

  it('prints an integer that no JavaScript number holds, with and without --json', async () => {
    const cwd = shared.cwd();
    const text = '{"ids":[9007199254740993,12345678901234567890]}';
    const ids = { type: 'array', items: { type: 'integer' } };
    await writeFile(join(cwd, 'ids.json'), JSON.stringify({ type: 'object', properties: { ids } }));
    shared.answer(() => reply.toolText('submit_structured_output', `{"output":${text}}`));
    const plain = await truecast(cwd, 'chat', 'Which?', '--schema', 'ids.json');
    expect(plain, plain.stderr).toMatchObject({ stdout: text, exitCode: 0 });
    const json = await truecast(cwd, 'chat', 'Which?', '--schema', 'ids.json', '--json');
    expect(json.exitCode, json.stderr).toBe(0);
    expect(json.stdout).toContain(`\n  "output": ${text},\n`);
    expect(JSON.parse(json.stdout)).toMatchObject({
      chat_id: expect.any(String) as unknown,
      receipt: { status: 'succeeded', value_text: text },
    });
  });

  it('prints the reason and exits with 3 if there is no valid answer', async () => {
    const cwd = shared.cwd();
    shared.answer(() => submit({ answer: 'many' }));
    const plain = await truecast(cwd, 'chat', 'How many?', '--schema', 's.json');
    expect(plain).toMatchObject({ stdout: '', exitCode: 3 });
    expect(plain.stderr).toContain('No answer of the model fits the schema');
    const json = await truecast(cwd, 'chat', 'How many?', '--schema', 's.json', '--json');
    expect(json.exitCode).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { reason: 'validation_exhausted', receipt: { status: 'failed' } },
    });
  });

  it('reports how to start a server if none runs', async () => {
    const cwd = temporaryFolder();
    const none = await truecast(cwd, 'chat', 'hi');
    expect(none.stderr).toContain('truecast serve');
    expect(none.exitCode).toBe(2);
    const away = await truecast(cwd, 'chat', 'hi', '--url', 'http://127.0.0.1:9', '--token', 'tc_x');
    expect(away.stderr).toContain('truecast serve');
    expect(away.exitCode).toBe(1);
  });

  it('gives the token of this folder to its own server only', async () => {
    const cwd = shared.cwd();
    const other = await createChatServer({
      port: 0,
      databaseUrl: ':memory:',
      environment: {},
      models: ['scripted:demo'],
    });
    onTestFinished(() => other.close());
    const { stderr, exitCode } = await truecast(cwd, 'chat', 'hi', '--url', other.url);
    expect(stderr).toContain('needs an access token');
    expect(exitCode).toBe(2);
  });

  it('leads from a run to its page, while a server of its folder runs', async () => {
    const cwd = shared.cwd();
    const args = ['run', 'Answer in <result>.', '--tag', 'result', '--sandbox', 'none', '--agent'];
    const run = (): Promise<Ended> => truecast(cwd, ...args, `command:echo '<result>1</result>'`);
    const server = shared.server();
    const { stderr, stdout } = await run();
    expect(stdout, stderr).toBe('"1"');
    const [, id = ''] = /^In the console: \S+\/runs\/(\S+)$/mu.exec(stderr) ?? [];
    expect(await server.ask(`/api/kept_runs/${id}`)).toMatchObject({ id });
    // The last test of the file: it ends the server.
    await server.end('SIGTERM');
    const after = await run();
    expect(after.stderr).toContain('✓ Sealed · valid at once');
    expect(after.stderr).not.toContain('In the console');
  });
});
