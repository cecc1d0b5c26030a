/**
 * Agent runs on two machines: two servers from the image in two containers behind one address, with one Postgres
 * and one git server. The container with the agent is killed, and the command on a third place prints the value.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { start } from '../cli/serve-fixture.ts';
import { writeFakeClaude } from '../fake-claude.ts';
import { startGitServer } from '../git-server.ts';
import { CLAUDE } from '../server/run-world.ts';
import { openTestDatabases, type TestDatabases } from '../shared-postgres.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import {
  buildServerImage,
  FOR_SANDBOXES,
  logOfContainer,
  removeContainers,
  startContainer,
} from './server-image.ts';

const TOKEN = `tc_${'a'.repeat(43)}`;
const PASSWORD = 'correct-horse-4711';
const TIMEOUT_MS = 300_000;
const PATIENCE = { timeout: 120_000, interval: 200 };
const { begin, commit, session, say, answer } = CLAUDE;
const WAITS = [begin, session, commit('half'), say('I wait.'), 'sleep 600'];
const ANSWERS = [begin, session, commit('half'), commit('rest'), answer(42)];
const SCHEMA = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] };

/** A server in a container, with a data folder of its own. */
interface Machine {
  readonly id: string;
  readonly port: number;
  readonly data: string;
}

describeWithEngine('podman', 'agent runs in two containers', () => {
  let folder: string;
  let databases: TestDatabases;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-two-machines-')));
    databases = await openTestDatabases();
    await buildServerImage();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await removeContainers();
    await databases?.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }, TIMEOUT_MS);

  /** Starts a machine that shares with the other one the database and the address of the repository alone. */
  async function startMachine(port: number, url: string, databaseUrl: string): Promise<Machine> {
    const data = mkdtempSync(join(folder, 'data-'));
    mkdirSync(join(data, 'bin'));
    writeFakeClaude(join(data, 'bin'), WAITS.join('\n'));
    writeFileSync(join(data, 'truecast.config.ts'), configOf(url));
    writeFileSync(join(data, 'token'), `${TOKEN}\n`, { mode: 0o600 });
    chmodSync(data, 0o755);
    await execa('chown', ['-R', '1000:1000', data]);
    const variables = [
      'TRUECAST_TOKEN_FILE=/data/token',
      `API_GIT_TOKEN=${PASSWORD}`,
      'PATH=/data/bin:/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin',
    ].flatMap((variable) => ['--env', variable]);
    const words = ['serve', '--host', '0.0.0.0', '--port', String(port), '--database-url', databaseUrl];
    const id = await startContainer(words, [...FOR_SANDBOXES, '--volume', `${data}:/data`, ...variables]);
    await expect.poll(() => logOfContainer(id), PATIENCE).toContain('Serving at');
    return { id, port, data };
  }

  it(
    'give their value to a command on a third place after the container with the agent was killed',
    async () => {
      const server = await startGitServer(PASSWORD);
      const databaseUrl = await databases.create();
      const machines: Machine[] = [];
      for (const index of [0, 1]) {
        const port = 20_000 + ((process.pid * 2 + index) % 20_000);
        machines.push(await startMachine(port, server.url, databaseUrl));
      }
      const port = await balance(machines.map((machine) => machine.port));
      writeFileSync(join(folder, 'schema.json'), JSON.stringify(SCHEMA));
      const words = ['runs', 'create', 'Count.', '--repository', 'api', '--agent', 'claude-code'];
      const third = { TRUECAST_URL: `http://127.0.0.1:${port}`, TRUECAST_TOKEN: TOKEN };
      await using command = start(folder, [...words, '--schema', 'schema.json', '--wait'], third);
      let printed = '';
      command.process.stdout?.on('data', (text: string) => {
        printed += text;
      });
      await command.until(/I wait\./u);

      const have = await Promise.all(machines.map(hasAgent));
      expect(have.filter(Boolean)).toHaveLength(1);
      const [working, other] = have[0] === true ? machines : machines.toReversed();
      writeFakeClaude(join(other?.data ?? '', 'bin'), ANSWERS.join('\n'));
      await execa('podman', ['kill', '--signal', 'KILL', working?.id ?? '']);

      expect(await command.end(), command.said()).toBe(0);
      expect(JSON.parse(printed)).toEqual({ answer: 42 });
      const { stdout: branches } = await execa('git', ['for-each-ref', '--format=%(refname:short)'], {
        cwd: server.path,
      });
      const branch = branches.split('\n').find((name) => name.startsWith('truecast/runs/')) ?? '';
      expect(server.subjects(branch)).toEqual(['start', 'half', 'rest']);
    },
    TIMEOUT_MS,
  );
});

/** Returns true for the machine on which the agent waits. */
async function hasAgent({ id }: Machine): Promise<boolean> {
  const { stdout } = await execa('podman', ['top', id, 'args']);
  return stdout.includes('sleep 600');
}

function configOf(url: string): string {
  return `export default {
  repositories: { api: { url: ${JSON.stringify(url)}, credential: { env: 'API_GIT_TOKEN' } } },
  runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
};
`;
}

/** Starts one address for several servers, until the end of the test: each connection goes to the first that accepts it. */
async function balance(ports: readonly number[]): Promise<number> {
  const balancer = createServer((client) => {
    client.on('error', () => undefined);
    const tryNext = ([port, ...rest]: readonly number[]): void => {
      if (port === undefined) {
        client.destroy();
        return;
      }
      const upstream = connect(port, '127.0.0.1');
      const fail = (): void => tryNext(rest);
      upstream.once('error', fail);
      upstream.once('connect', () => {
        upstream.off('error', fail).on('error', () => client.destroy());
        upstream.on('close', () => client.destroy());
        client.on('close', () => upstream.destroy());
        client.pipe(upstream).pipe(client);
      });
    };
    tryNext(ports);
  });
  await new Promise<void>((resolve) => void balancer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void balancer.close());
  return (balancer.address() as AddressInfo).port;
}
