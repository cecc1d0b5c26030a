/**
 * Image of the server: built from `containers/Containerfile` on this machine's programs, or on the root file
 * system of `npm run proof:image`. One chat turn, one run in its sandbox, and a killed worker.
 */
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { submit } from '../openai-wire/start-wire.ts';
import { createdSchema, QUESTION } from '../cli/serve-fixture.ts';
import { openTestDatabases, type TestDatabases } from '../shared-postgres.ts';
import { message } from '../server/test-server.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import {
  buildServerImage,
  FOR_SANDBOXES,
  logOfContainer,
  removeContainers,
  SERVER_IMAGE,
  startContainer,
} from './server-image.ts';

const TOKEN = `tc_${'a'.repeat(43)}`;
const TIMEOUT_MS = 300_000;
const PATIENCE = { timeout: 90_000, interval: 100 };

describeWithEngine('podman', 'the image of the server', () => {
  let folder: string;
  let databases: TestDatabases;
  let model: ScriptedModelServer;
  let answer: (signal: AbortSignal) => Promise<ReturnType<typeof reply.text>>;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-server-image-')));
    databases = await openTestDatabases();
    model = await scriptedModelServer({ script: ({ signal }) => answer(signal) });
    await buildServerImage();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await model?.[Symbol.asyncDispose]();
    await removeContainers();
    await databases?.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }, TIMEOUT_MS);

  /** Starts a container that reaches the model. */
  const start = (words: readonly string[], options: readonly string[] = []): Promise<string> => {
    const env = ['--env', `TRUECAST_BASE_URL=${model.openaiUrl}`, '--env', 'TRUECAST_MODEL=scripted'];
    return startContainer(words, [...env, ...options]);
  };

  it('is of user 1000, with an init, a health check and a list of components', async () => {
    const { stdout } = await execa('podman', ['image', 'inspect', SERVER_IMAGE]);
    const [{ Config: config, Labels: labels, Healthcheck: health }] = JSON.parse(stdout) as [
      Readonly<Record<'Config' | 'Labels' | 'Healthcheck', Readonly<Record<string, unknown>>>>,
    ];
    expect(config).toMatchObject({ User: '1000:1000', WorkingDir: '/data', Volumes: { '/data': {} } });
    expect(config['Entrypoint']).toEqual([
      '/usr/bin/tini',
      '--',
      'node',
      '/app/node_modules/truecast/dist/cli.mjs',
    ]);
    expect(labels['org.opencontainers.image.version']).toBe('1.2.3');
    expect(health['Test']).toEqual(['CMD', 'node', '/app/health.mjs', '4747']);
  });

  it(
    'serves a chat turn with the token of a file, and the turn of a killed worker continues in another one',
    async () => {
      const databaseUrl = await databases.create();
      const database = ['--database-url', databaseUrl];
      const secret = join(folder, 'token');
      writeFileSync(secret, `${TOKEN}\n`);
      chmodSync(secret, 0o444);
      const port = 20_000 + (process.pid % 20_000);
      const token = [
        '--volume',
        `${secret}:/run/secrets/token:ro`,
        '--env',
        'TRUECAST_TOKEN_FILE=/run/secrets/token',
      ];
      answer = () => Promise.resolve(submit({ answer: 7 }));
      const server = await start(['serve', '--host', '0.0.0.0', '--port', String(port), ...database], token);
      await expect.poll(() => logOfContainer(server), PATIENCE).toContain('Serving at');
      const ask = async (path: string, body?: unknown): Promise<unknown> => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return response.json();
      };
      const { chat, request_id: id } = createdSchema.parse(await ask('/api/chats', QUESTION));
      expect(await ask(`/api/chats/${chat.id}/requests/${id}?wait=60`)).toMatchObject({
        status: 'succeeded',
        value: { answer: 7 },
      });
      const health = await execa('podman', ['exec', server, 'node', '/app/health.mjs', String(port)], {
        reject: false,
      });
      expect(health.exitCode).toBe(0);
      await execa('podman', ['stop', '--time', '20', server]);
      const { stdout } = await execa('podman', ['inspect', '--format', '{{.State.ExitCode}}', server]);
      expect(stdout).toBe('0');

      const before = model.turns.length;
      answer = async (signal) => {
        await once(signal, 'abort');
        return reply.text('Too late.');
      };
      const store = await openStore({ url: databaseUrl });
      const machine = createChatMachine({ store });
      const asked = { owner: 'anna', model: 'local:scripted', message: message('Go') };
      const { chat: waiting } = await machine.createChat(asked);
      const first = await start(['worker', ...database]);
      await expect.poll(() => model.turns.length, PATIENCE).toBe(before + 1);
      await execa('podman', ['kill', '--signal', 'KILL', first]);
      answer = () => Promise.resolve(reply.text('Done.'));
      await start(['worker', ...database]);
      const read = () => machine.readChat({ owner: 'anna', chatId: waiting.id });
      await expect.poll(async () => (await read()).status, PATIENCE).toBe('waiting');
      expect(model.turns).toHaveLength(before + 2);
      await store.close();
    },
    TIMEOUT_MS,
  );

  it(
    'runs an agent in bubblewrap with the options for sandboxes, and names them without',
    async () => {
      const repo = join(folder, 'repo');
      mkdirSync(repo);
      await execa('git', ['init', '-q', '-b', 'main'], { cwd: repo });
      const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
      await execa('git', [...who, 'commit', '-q', '--allow-empty', '-m', 'begin'], { cwd: repo });
      await execa('chown', ['-R', '1000:1000', repo]);
      const agent = 'command:bash -c "cat > /dev/null; echo \'<result>inside</result>\'"';
      const words = [
        'run',
        'Look.',
        '--agent',
        agent,
        '--tag',
        'result',
        '--sandbox',
        'bubblewrap',
        '--egress',
        'none',
        '--cwd',
        '/repo',
      ];
      const run = (options: readonly string[]) =>
        execa(
          'podman',
          [
            'run',
            '--rm',
            '--network',
            'none',
            '--volume',
            `${repo}:/repo`,
            ...options,
            SERVER_IMAGE,
            ...words,
          ],
          {
            reject: false,
          },
        );
      const allowed = await run(FOR_SANDBOXES);
      expect(allowed.stdout, allowed.stderr).toBe('"inside"');
      const refused = await run([]);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain('--security-opt seccomp=unconfined');
    },
    TIMEOUT_MS,
  );
});
