/** Tests of the programs that the API reference prints: each runs as printed, with real ids. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { matrixColumns, type MatrixOptions } from '../matrix.ts';
import { declarePrograms } from '../program-session.ts';
import { watchPage } from './console-fixture.ts';
import { packedConsole } from './packed-console.ts';
import { appendSampleRun } from './sample-ledger.ts';
import { keepSampleRuns } from './sample-runs.ts';

const OPENAI = fileURLToPath(new URL('../../node_modules/openai', import.meta.url));
/** The short form runs the program of an operation in one of its languages, or two. */
const LANGUAGES_IN_TURNS: MatrixOptions = { rows: 4, stride: 4 };
const LANGUAGES = ['curl', 'TypeScript', 'Python', 'OpenAI client'] as const;
/** A response that refuses the request, as each language prints it. */
const REFUSAL = /["']?status["']?:\s*[45]\d\d\b|^\s*\{\s*"error"/u;
const TOOL = { name: 'look', input_schema: { type: 'object' } };
const RUN = { repository: 'web', agent: 'claude-code' };
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'bug', schema: { type: 'object', properties: { line: { type: 'integer' } } } },
};
/** Operations whose chat must be answering. */
const BUSY = ['interruptChat', 'listQueue', 'deleteQueued', 'promoteQueued'];

const suite = packedConsole({
  hasRuns: true,
  script: ({ userText, lastToolResult }) => {
    if (userText === 'Slow.') return reply.text('long '.repeat(2_000), { chunkChars: 50, chunkDelayMs: 250 });
    if (userText === 'Use it.' && lastToolResult === undefined) return reply.tool('look', {});
    return reply.text('Done.');
  },
});

/**
 * `redeliver` needs a receiver that the configuration lists: `test/server/deliver-webhooks.test.ts`. `readRunArtifact`
 * needs a run that a worker executed: `packages/server/src/http/run-artifacts.test.ts`. `sayToEnsemble` needs an
 * ensemble that is still open: `test/ensemble/said-over-http.test.ts`. `connectModel` and `disconnectModel` need the server
 * of a model: `packages/server/src/serve/connected/connect-models.test.ts`.
 */
const ELSEWHERE = ['redeliver', 'readRunArtifact', 'sayToEnsemble', 'connectModel', 'disconnectModel'];
/** Operations on one agent run. The other runs are kept ones. */
const OF_AGENT_RUNS =
  'readRun streamRun cancelRun retryRun continueRun patchRun readRunChanges listDeliveries listRunArtifacts deleteRun'.split(
    ' ',
  );
/** Those that need a queued run. The others get a canceled one. */
const OF_QUEUED_RUNS = ['cancelRun', 'patchRun'];
const OF_BATCHES = ['addBatchItems', 'closeBatch', 'cancelBatch', 'readBatch', 'listBatchResults'];

type Values = Readonly<Record<string, string>>;

it('prints programs for each operation that run as printed', { timeout: 400_000 }, async () => {
  const { server, browser, project, databaseUrl } = suite;
  symlinkSync(OPENAI, join(project, 'node_modules/openai'));
  const runId = await keepSampleRuns(project);
  await appendSampleRun(databaseUrl, 'boat', 8);
  const { page, faults } = await watchPage(browser, server);
  await page.goto(`${server.url}/docs`);
  await page.locator('#createChat').waitFor();
  const ids = z
    .array(z.string())
    .parse(await page.evaluate("[...document.querySelectorAll('section[id]')].map(({ id }) => id)"));
  expect(ids.length).toBeGreaterThan(40);
  const sealed = await sealedChat();
  const shared = { ...sealed, RUN_ID: runId, MESSAGE_ID: '1', MODEL: 'scripted:demo' };
  const printed = z.record(z.string(), z.array(programSchema)).parse(await page.evaluate(PRINTED));
  const refused: string[] = [];
  for (const [row, id] of ids.entries()) {
    if (ELSEWHERE.includes(id)) continue;
    const programs = printed[id] ?? [];
    expect(programs.length, id).toBeGreaterThanOrEqual(3);
    await Promise.all(
      matrixColumns(row, programs, LANGUAGES_IN_TURNS).map(async ({ language, code }) => {
        const values: Values = { ...shared, ...(await valuesFor(id, sealed['REQUEST_ID'])) };
        const name = `${id} in ${language}`;
        const output = await run(name, { language, code: fill(code, values) }, values['KEY']);
        if (output !== undefined) refused.push(`${name}: ${output}`);
      }),
    );
  }
  expect(refused).toEqual([]);
  expect(faults).toEqual([]);
});

const programSchema = z.object({ language: z.enum(LANGUAGES), code: z.string() });
type Program = z.infer<typeof programSchema>;

/** Presses the button of each language of each operation, inside the page: 240 clicks of a mouse take a minute. */
const PRINTED = `(async () => {
  const printed = {};
  for (const section of document.querySelectorAll('section[id]')) {
    printed[section.id] = [];
    for (const language of ${JSON.stringify(LANGUAGES)}) {
      const tab = [...section.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === language);
      if (tab === undefined) continue;
      tab.click();
      await new Promise((resolve) => setTimeout(resolve));
      const code = section.querySelector('[aria-label="' + language + ' program"]').textContent;
      printed[section.id].push({ language, code });
    }
  }
  return printed;
})()`;

/** The programs on Node share a process, except those of a stream, which are stopped. */
const runScript = declarePrograms();

/** Replaces what a reader replaces. */
function fill(code: string, values: Values): string {
  return code.replaceAll(/\b[A-Z]+(?:_[A-Z]+)?\b|\bcall_1\b/gu, (word) => values[word] ?? word);
}

/** Runs the program. Returns its output if it failed. A stream is stopped after its first event. */
async function run(
  name: string,
  { language, code }: Program,
  token = tokenOf(),
): Promise<string | undefined> {
  const file = join(suite.project, `${name.replaceAll(' ', '-')}.mts`);
  writeFileSync(file, code);
  const isStream = name.startsWith('stream');
  const isScript = language === 'TypeScript' || language === 'OpenAI client';
  if (isScript && !isStream) {
    const { stdout, stderr, exitCode } = await runScript({
      file,
      cwd: suite.project,
      env: { TRUECAST_TOKEN: token },
    });
    return exitCode === 0 && !REFUSAL.test(stdout) ? undefined : `${exitCode} ${stdout} ${stderr}`;
  }
  const [command, args] = {
    curl: ['sh', ['-c', code]] as const,
    Python: ['python3', [file]] as const,
    TypeScript: [process.execPath, [file]] as const,
    'OpenAI client': [process.execPath, [file]] as const,
  }[language];
  const env = { ...process.env, PYTHONUNBUFFERED: '1', TRUECAST_TOKEN: token };
  // Its own group: a shell and its `curl` are stopped together.
  const child = spawn(command, args, { cwd: suite.project, env, detached: true });
  let output = '';
  let errors = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString();
    if (isStream && child.pid !== undefined) process.kill(-child.pid);
  });
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const [code_] = (await once(child, 'close')) as [number | null];
  const isDone = code_ === 0 || (isStream && output !== '');
  return isDone && !REFUSAL.test(output) ? undefined : `${code_} ${output} ${errors}`;
}

function tokenOf(): string {
  return suite.server.token;
}

async function send(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${suite.server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokenOf()}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${path}`).toBe(true);
  return await response.text();
}

const createdSchema = z.object({ chat: z.object({ id: z.string() }), request_id: z.string().optional() });

async function createChat(body: object): Promise<z.infer<typeof createdSchema>> {
  return createdSchema.parse(JSON.parse(await send('POST', '/api/chats', body)));
}

async function sealedChat(): Promise<Values> {
  const { chat, request_id: requestId = '' } = await createChat({
    content: 'Which line?',
    model: 'scripted:demo',
    response_format: FORMAT,
  });
  const receipt = await send('GET', `/api/chats/${chat.id}/requests/${requestId}?wait=60`);
  const { owner } = z.object({ owner: z.string() }).parse(JSON.parse(await send('GET', '/api/me')));
  const hash = /"schema_hash":"(\w+)"/u.exec(receipt)?.[1] ?? '';
  return { CHAT_ID: chat.id, REQUEST_ID: requestId, SCHEMA_HASH: hash, OWNER: owner };
}

/** Values that no other program uses. */
async function valuesFor(id: string, requestId = ''): Promise<Values> {
  if (id === 'revokeShare' || id === 'readSharedReceipt') {
    const share = await send('POST', `/api/requests/${requestId}/shares`, {});
    const [SHARE_ID = '', KEY = ''] = ['id', 'key'].map(
      (name) => new RegExp(`"${name}":"([^"]+)"`, 'u').exec(share)?.[1] ?? '',
    );
    return id === 'revokeShare' ? { SHARE_ID } : { KEY };
  }
  if (id === 'listLedgerEvents' || id === 'sayToEnsemble') return { RUN_ID: 'boat' };
  if (id === 'revokeToken') {
    const issued = await send('POST', '/api/tokens', { name: 'revoked' });
    return { TOKEN_ID: /"id":"([\w-]+)"/u.exec(issued)?.[1] ?? '' };
  }
  if (OF_AGENT_RUNS.includes(id)) return await agentRun(id);
  if (OF_BATCHES.includes(id)) {
    return { BATCH_ID: await newId('/api/batches', { ...RUN, name: randomUUID() }) };
  }
  if (BUSY.includes(id)) return await busyChat();
  if (id === 'submitToolResults') return await waitingChat();
  if (!['deleteChat', 'patchChat', 'sendMessage', 'editMessage', 'compactChat'].includes(id)) return {};
  return { CHAT_ID: (await createChat({ content: 'Hi', model: 'local:scripted' })).chat.id };
}

/** A queued agent run, or one that was canceled. */
async function agentRun(id: string): Promise<Values> {
  const start_after = new Date(Date.now() + 3_600_000).toISOString();
  const runId = await newId('/api/runs', { ...RUN, prompt: 'Fix it.', start_after });
  if (!OF_QUEUED_RUNS.includes(id)) await send('POST', `/api/runs/${runId}/cancel`);
  return { RUN_ID: runId };
}

async function newId(path: string, body: object): Promise<string> {
  return z.object({ id: z.string() }).parse(JSON.parse(await send('POST', path, body))).id;
}

/** A chat that answers for a while, with a queued message. */
async function busyChat(): Promise<Values> {
  const { chat } = await createChat({ content: 'Slow.', model: 'local:scripted' });
  const body = { content: 'And then?', busy_behavior: 'queue' };
  const sent = await send('POST', `/api/chats/${chat.id}/messages`, body);
  return { CHAT_ID: chat.id, QUEUED_ID: /"id":(\d+)/u.exec(sent)?.[1] ?? '' };
}

/** A chat that waits for the result of a tool that its client runs. */
async function waitingChat(): Promise<Values> {
  const { chat } = await createChat({ content: 'Use it.', model: 'local:scripted', tools: [TOOL] });
  const messages = `/api/chats/${chat.id}/messages`;
  await expect.poll(() => send('GET', `/api/chats/${chat.id}`)).toContain('requires_action');
  const callId = /"tool_call_id":"([^"]+)"/u.exec(await send('GET', messages))?.[1] ?? '';
  return { CHAT_ID: chat.id, call_1: callId };
}
