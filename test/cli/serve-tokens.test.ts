/** Lifecycle of a token, and the use of quotas, with the real commands on the database of a running server. */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder, truecast, type Ended } from './cli-fixture.ts';
import { serveBeside, type AnyServer } from './serve-fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const QUOTAS = { period: 'month', perOwner: { turns: 2_000, costUsd: 0.5 }, owners: { anna: { turns: 3 } } };

const ends: (() => void)[] = [];
let cwd: string;
/** `token show` before the server has started. */
let early: Ended;
let server: AnyServer;
beforeAll(async () => {
  cwd = temporaryFolder((remove) => void ends.push(remove));
  early = await truecast(cwd, 'token', 'show');
  writeFileSync(join(cwd, 'truecast.config.mjs'), `export default { quotas: ${JSON.stringify(QUOTAS)} };`);
  server = await serveBeside(cwd, ['--config', 'truecast.config.mjs']);
});
afterAll(async () => {
  await server.end('SIGTERM');
  for (const end of ends) end();
});

it(
  'prints a token once, keeps its hash alone, and revokes it while a server runs',
  { timeout: 240_000 },
  async () => {
    const made = await truecast(cwd, 'token', 'create', '--name', 'ci');
    const token = made.stdout.trim();
    expect(token).toMatch(/^tc_[\w-]{43}$/u);
    const ask = async (): Promise<number> =>
      (await fetch(`${server.url}/api/chats`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask()).toBe(200);

    const { stdout: listed } = await truecast(cwd, 'token', 'list');
    expect(listed).toMatch(/ ci /u);
    expect(listed).not.toContain(token);
    const files = ['truecast.sqlite', 'truecast.sqlite-wal'].map((name) => join(stateFolderOf(cwd), name));
    for (const file of files) expect((await readFile(file, 'latin1')).includes(token)).toBe(false);

    const id = /token revoke (\S+)/u.exec(made.stderr)?.[1] ?? '';
    expect((await truecast(cwd, 'token', 'revoke', id)).exitCode).toBe(0);
    expect(await ask()).toBe(401);

    const create = (...flags: readonly string[]) => truecast(cwd, 'token', 'create', ...flags);
    const scoped = await create('--name', 'scraper', '--scope', 'metrics', '--expires', '30d');
    const brief = await create('--name', 'brief', '--expires', '1s', '--json');
    const statusOf = async (path: string, own: string): Promise<number> =>
      (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${own}` } })).status;
    expect(await statusOf('/metrics', scoped.stdout.trim())).toBe(200);
    expect(await statusOf('/api/chats', scoped.stdout.trim())).toBe(404);
    const expired = /tc_[\w-]{43}/u.exec(brief.stdout)?.[0] ?? '';
    await expect.poll(() => statusOf('/api/chats', expired), { timeout: 10_000 }).toBe(401);
    const { stdout: rows } = await truecast(cwd, 'token', 'list');
    expect(rows).toMatch(/ scraper .* metrics +\d{4}-\d\d-\d\d \d\d:\d\d +\d{4}-/u);

    const audit = await truecast(cwd, 'data', 'audit', '--limit', '4', '--json');
    expect(audit.stdout.match(/"action": "\w+"/gu)).toEqual([
      '"action": "token_created"',
      '"action": "token_created"',
      '"action": "token_revoked"',
      '"action": "token_created"',
    ]);
    expect(JSON.parse((await truecast(cwd, 'data', 'export', 'local')).stdout)).toMatchObject({
      owner: 'local',
      tokens: [{ name: 'truecast serve' }],
      chats: [],
    });

    const again = await truecast(cwd, 'token', 'revoke', id);
    expect(again.stderr).toContain('truecast token list');
    expect(again.exitCode).toBe(2);
  },
);

it('prints a link that signs one browser in, and the token for programs', { timeout: 240_000 }, async () => {
  expect([early.exitCode, early.stdout]).toEqual([2, '']);
  expect(early.stderr).toMatch(/There is no token in .*server\.json/su);
  expect((await truecast(cwd, 'token', 'show')).stdout).toBe(server.token);
  const { stdout: link, stderr } = await truecast(cwd, 'link');
  const [address, code = ''] = link.split('/#code=');
  expect([address, /^tcl_[\w-]{43}$/u.test(code)]).toEqual([server.url, true]);
  expect(stderr).toContain('It signs one browser in, within 10 minutes.');
  const exchange = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${code}`, 'content-type': 'application/json' };
    return (await fetch(`${server.url}/api/session`, { method: 'POST', headers, body: '{}' })).status;
  };
  expect([await exchange(), await exchange()]).toEqual([201, 401]);
  const { stdout: json } = await truecast(
    cwd,
    'link',
    '--url',
    `${server.url}/`,
    '--token',
    server.token,
    '--json',
  );
  expect(JSON.parse(json)).toEqual({
    link: expect.stringMatching(`^${server.url}/#code=tcl_`),
    expires_at: expect.stringMatching(/Z$/u),
  });
});

// After the tests that expect no chat.
it('prints the use of the token, or of another owner as JSON', { timeout: 240_000 }, async () => {
  await server.ask('/api/chats', { content: 'Hi' });
  const { stdout } = await truecast(cwd, 'usage');
  expect(stdout).toMatch(/^local: this month, until \d{4}-\d\d-01 00:00 UTC\.\n/u);
  expect(stdout).toMatch(/^turns +1 +2,000$/mu);
  expect(stdout).toMatch(/^tokens +[\d,]+ +none$/mu);
  expect(stdout).toMatch(/^cost \(USD\) +0\.0000 +0\.5000$/mu);
  expect(stdout).toMatch(/^chats +1 +none$/mu);
  const other = await truecast(cwd, 'usage', 'anna', '--json');
  const expected = { owner: 'anna', chats: 0, period: { turns: 0 }, limits: { turns: 3, cost_usd: 0.5 } };
  expect(JSON.parse(other.stdout)).toMatchObject(expected);
  const { stdout: made } = await truecast(cwd, 'token', 'create', '--name', 'ci');
  const refused = await truecast(cwd, 'usage', 'anna', '--token', made.trim());
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('`admin`')]);
});
