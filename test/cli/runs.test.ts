/** Tests of the real `truecast runs` with a real server, whose agent is a program that prints the lines of Claude Code. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { startGitServer } from '../git-server.ts';
import { FORM } from '../matrix.ts';
import { git, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';
import { serve, start, type RunningServer } from './serve-fixture.ts';

/**
 * Commits its prompt. It answers 42, and a prompt with `wrong` with a text. For one with `slow` it says that
 * it has committed, and waits for the end.
 */
const CLAUDE = `prompt=$(cat)
${printText('I count.\n')}
echo "$prompt" > work.txt && git add work.txt && git commit -q -m work >&2
case "$prompt" in
  *slow*)
    ${printText('I wait.\n')}
    sleep 600 ;;
  *wrong*) ${printResult({ structured_output: { answer: 'x' } })} ;;
  *) ${printResult({ structured_output: { answer: 42 }, total_cost_usd: 0.5 })} ;;
esac`;

const PATIENCE = { timeout: 120_000 };
const lineSchema = z.looseObject({ line: z.number() });
const resultSchema = z.object({ receipt: z.looseObject({ run_id: z.string() }) });
const queuedSchema = z.object({ runs: z.array(z.unknown()) });
const viewSchema = z.object({ id: z.string(), status: z.string() });

/** Repositories of the shared server: each test lists the runs in its own. */
type RepositoryName = 'answers' | 'batches' | 'budgets' | 'deliveries';

interface Started {
  readonly cwd: string;
  readonly server: RunningServer;
  readonly end: () => Promise<void>;
}

interface Shared extends Started {
  /** Folder of each repository. */
  readonly paths: Readonly<Record<RepositoryName, string>>;
}

/** Starts a server with these repositories. */
async function startWith(repositories: object, settings: object = {}): Promise<Started> {
  const ends: (() => void)[] = [];
  const atEnd = (remove: () => void): void => void ends.push(remove);
  const cwd = temporaryFolder(atEnd);
  const runs = { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none', ...settings };
  const config = { repositories, runs };
  writeFileSync(join(cwd, 'truecast.config.ts'), `export default ${JSON.stringify(config)};\n`);
  const server = await serve(cwd, ['--model', 'scripted:demo'], {
    PATH: writeFakeClaude(temporaryFolder(atEnd), CLAUDE),
    TRUECAST_WEBHOOK_KEY: 'k'.repeat(64),
  });
  const end = async (): Promise<void> => {
    await server.end('SIGKILL');
    for (const remove of ends) remove();
  };
  return { cwd, server, end };
}

/** The commands of a test, in one repository. */
function commandsIn({ cwd }: Started, name: string) {
  const runs = (...args: readonly string[]) => truecast(cwd, 'runs', ...args);
  const request = ['--repository', name, '--agent', 'claude-code', '--schema', 's.json'];
  const create = (prompt: string, ...args: readonly string[]) => runs('create', prompt, ...request, ...args);
  const list = async () => (await runs('list', '--repository', name)).stdout;
  return { runs, request, create, list };
}

/** Receiver on this machine that the server can send to. */
async function startReceiver() {
  const received: { readonly id: string | undefined; readonly body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ id: request.headers['webhook-id']?.toString(), body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  return { received, url: new URL(`http://127.0.0.1:${port}/ended`), end: () => void receiver.close() };
}

const ends: (() => unknown)[] = [];
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let started: Promise<Shared> | undefined;
beforeAll(async () => {
  receiver = await startReceiver();
  ends.push(receiver.end);
});
afterAll(async () => {
  for (const end of ends) await end();
});

async function startShared(): Promise<Shared> {
  const made = (): string => makeRepository((remove) => void ends.push(remove));
  const paths = { answers: made(), batches: made(), budgets: made(), deliveries: made() };
  const repositories = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { path }]));
  const settings = { perRepository: 1, webhooks: { allow: [receiver.url.host] } };
  const shared = await startWith(repositories, settings);
  ends.unshift(shared.end);
  return { ...shared, paths };
}

/**
 * One server for the tests, which executes one run at a time in each repository. A test that fails leaves
 * runs there: the next gets another server.
 */
async function world(name: RepositoryName) {
  started ??= startShared();
  onTestFailed(() => (started = undefined));
  const shared = await started;
  return { ...shared, ...commandsIn(shared, name) };
}

describeInBubblewrap('truecast runs', () => {
  it('prints the answer, the work and the failure of runs, as `truecast run` does', async () => {
    const { cwd, paths, runs, create, list } = await world('answers');
    const repository = paths.answers;

    const answered = await create('Count.', '--wait');
    expect(answered, answered.stderr).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });
    expect(answered.stderr).toContain('I count.');
    const [, id = '', branch = ''] = /^run (\S+)$[^]*1 commit on (\S+)/mu.exec(answered.stderr) ?? [];
    expect(branch).toBe(`truecast/runs/${id}`);
    expect(await git(repository, 'show', `${branch}:work.txt`)).toContain('Count.');
    expect(await git(repository, 'status', '--porcelain')).toBe('');

    const wrong = await create('Count wrong.', '--wait', '--json', '--max-corrections', '0');
    expect(wrong.exitCode, wrong.stderr).toBe(3);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      error: {
        code: 'structured-output-not-produced',
        reason: 'schema_mismatch',
        receipt: { status: 'failed', commits: [expect.any(String)] },
      },
    });

    const slow = viewSchema.parse(JSON.parse((await create('Count slow.', '--json')).stdout));
    await expect
      .poll(async () => (await runs('show', slow.id)).stdout, PATIENCE)
      .toMatch(/running, working/u);
    await using watching = start(cwd, ['runs', 'watch', slow.id]);
    await watching.until(/I wait\./u);
    expect((await runs('cancel', slow.id)).exitCode).toBe(0);
    const watched = await runs('watch', slow.id);
    expect(watched).toMatchObject({ stdout: '', exitCode: 1 });
    expect(watched.stderr).toMatch(/The work is kept: 1 commits on truecast\/runs\//u);

    expect(
      (await list())
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ {2,}/u)[1]),
    ).toEqual(['canceled', 'failed', 'succeeded']);
    const retried = await runs('retry', id, '--wait', '--quiet');
    expect(retried).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });

    const continued = await runs('continue', id, 'Count again.', '--wait', '--quiet');
    expect(continued).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });

    const unknown = await runs('create', 'Count.', '--repository', 'x', '--agent', 'claude-code');
    expect(unknown.stderr).toMatch(/repository/u);
    expect(unknown.exitCode).not.toBe(0);
  });
});

describeInBubblewrap('truecast runs deliveries', () => {
  it('lists what was sent, sends it again, and prints and replaces the secret that signs', async () => {
    const { received, url: webhook } = receiver;
    received.length = 0;
    const { runs, create } = await world('deliveries');

    const { id } = viewSchema.parse(
      JSON.parse((await create('Count slow.', '--json', '--webhook', webhook.href)).stdout),
    );
    expect((await runs('deliveries', id)).stderr).toContain('Nothing was sent');
    expect((await runs('redeliver', id)).stderr).toContain('The run has no delivery.');
    await runs('cancel', id);
    await expect.poll(() => received.length, PATIENCE).toBe(1);
    expect(received[0]?.body).toContain('"type":"run.canceled"');
    const isDelivered = async () => (await runs('deliveries', id)).stdout;
    await expect.poll(isDelivered, PATIENCE).toMatch(/delivered +1 +204 /u);

    const again = await runs('redeliver', id);
    expect(again, again.stderr).toMatchObject({ exitCode: 0 });
    await expect.poll(() => received.length, PATIENCE).toBe(2);
    expect(received[1]?.id).toBe(received[0]?.id);

    const secret = await runs('webhook-secret');
    expect(secret.stdout).toMatch(/^whsec_\S+$/u);
    expect((await runs('webhook-secret')).stdout).toBe(secret.stdout);
    const rotated = await runs('webhook-secret', '--rotate', '--json');
    expect(JSON.parse(rotated.stdout)).toMatchObject({ previous_secret: secret.stdout });
  });
});

describeInBubblewrap('truecast runs batch', () => {
  it('ends each input once, also when it is started again and from another file', async () => {
    const { cwd, runs, request, list } = await world('batches');
    const inputs = ['one', 'wrong', 'two'].map((TITLE, id) => JSON.stringify({ id, TITLE }));
    writeFileSync(join(cwd, 'in.jsonl'), inputs.join('\n'));
    const more = [...request, '--max-corrections', '0'];
    const batch = (out: string) =>
      runs('batch', 'Count {{TITLE}}.', '--inputs', 'in.jsonl', '--out', out, ...more);
    const read = (out: string) =>
      readFileSync(join(cwd, out), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => lineSchema.parse(JSON.parse(line)))
        .toSorted((one, other) => one.line - other.line);

    const first = await batch('a.jsonl');
    expect(first.exitCode, first.stderr).toBe(1);
    expect(first.stderr).toMatch(/2 ok · 1 failed/u);
    const lines = read('a.jsonl');
    expect(lines).toMatchObject([
      { id: 0, line: 1, status: 'ok', output: { answer: 42 }, commits: [{ sha: expect.any(String) }] },
      { id: 1, status: 'failed', error: { code: 'structured-output-not-produced' } },
      { id: 2, status: 'ok' },
    ]);
    // A second start adds no run, and the other file gets the same results.
    const again = await batch('a.jsonl');
    expect(again.stderr).toMatch(/0 ok · 0 failed · 2 finished earlier · 1 failed earlier/u);
    expect((await batch('b.jsonl')).exitCode).toBe(1);
    expect(read('b.jsonl')).toEqual(lines);
    expect((await list()).trimEnd().split('\n')).toHaveLength(4);

    // Ctrl+C stops the waiting alone.
    writeFileSync(join(cwd, 'slow.jsonl'), '{"TITLE":"slow"}');
    const words = [
      'runs',
      'batch',
      'Count {{TITLE}}.',
      '--inputs',
      'slow.jsonl',
      '--out',
      'c.jsonl',
      ...more,
    ];
    await using waiting = start(cwd, words);
    const [, id = ''] = await waiting.until(/^batch (\S+) \(/mu);
    await expect.poll(list, PATIENCE).toMatch(/running/u);
    expect(await waiting.end('SIGINT'), waiting.said()).toBe(130);
    expect(waiting.said()).toContain(`runs cancel-batch ${id}`);
    expect(await list()).toMatch(/running/u);
    expect((await runs('cancel-batch', id)).exitCode).toBe(0);
    await expect.poll(list, PATIENCE).not.toMatch(/running|canceling/u);
    expect((await truecast(cwd, ...words)).exitCode).toBe(1);
    expect(read('c.jsonl')).toMatchObject([{ status: 'failed', error: { code: 'canceled' } }]);
  });
});

describeInBubblewrap('truecast runs batch with a budget', () => {
  it('stops after the item that spent its tokens or dollars, and a higher budget ends the others', async () => {
    const { cwd, server, runs, request } = await world('budgets');
    const inputs = ['a', 'b', 'c'].map((TITLE) => JSON.stringify({ TITLE }));
    writeFileSync(join(cwd, 'in.jsonl'), inputs.join('\n'));
    const counts = async (out: string) => {
      const { runs: queued } = queuedSchema.parse(
        await server.ask('/api/runs?repository=budgets&status=queued'),
      );
      const written = readFileSync(join(cwd, out), 'utf8').trimEnd().split('\n');
      return { queued: queued.length, written: written.length };
    };
    // Each item uses 2 tokens and half a dollar. One is executed at a time.
    for (const [flag, budget, higher, said] of [
      ['--budget-tokens', '3', '6', 'its budget of 3 tokens'],
      ['--budget-usd', '0.8', '1.5', 'its budget of 0.8 US dollars'],
    ] as const) {
      const out = `${flag.slice(2)}.jsonl`;
      const batch = (amount: string) =>
        runs('batch', `{{TITLE}} ${flag}`, '--inputs', 'in.jsonl', '--out', out, ...request, flag, amount);
      const spent = await batch(budget);
      expect(spent.stderr).toContain(said);
      expect(spent.exitCode, spent.stderr).toBe(1);
      expect(await counts(out)).toEqual({ queued: 1, written: 2 });
      const ended = await batch(higher);
      expect(ended.stderr).toMatch(/1 ok · 0 failed · 2 finished earlier/u);
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(await counts(out)).toEqual({ queued: 0, written: 3 });
    }
  });
});

// `pushed-runs.test.ts` pushes in the short form, and the tests above print receipts.
const describeInFull: typeof describeInBubblewrap = (title, declare) => {
  if (FORM === 'whole') describeInBubblewrap(title, declare);
};

describeInFull('truecast runs of a repository at an address', () => {
  it('pushes its work, and nothing of a read-only run', async () => {
    const remote = await startGitServer();
    const apart = await startWith({ remote: { url: remote.url } });
    onTestFinished(apart.end);
    const { create } = commandsIn(apart, 'remote');
    const created = async (...args: readonly string[]) => {
      const { stdout, stderr } = await create('Count.', '--wait', '--json', ...args);
      expect(stdout, stderr).not.toBe('');
      return resultSchema.parse(JSON.parse(stdout)).receipt;
    };
    const read = await created('--read-only');
    expect(read).toMatchObject({ status: 'succeeded', value: { answer: 42 }, commits: [], pushed: false });
    expect(remote.requests).not.toContain('POST git-receive-pack');
    const worked = await created();
    expect(worked).toMatchObject({ status: 'succeeded', commits: [expect.any(String)], pushed: true });
    expect(remote.subjects(`truecast/runs/${worked.run_id}`)).toEqual(['work']);
    expect(remote.subjects(`truecast/runs/${read.run_id}`)).toEqual([]);
  });
});
