/** Use of quotas, with the real command and a real server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, truecast } from './cli-fixture.ts';
import { serve } from './serve-fixture.ts';

const QUOTAS = { period: 'month', perOwner: { turns: 2_000, costUsd: 0.5 }, owners: { anna: { turns: 3 } } };

it('prints the use of the token, or of another owner as JSON', { timeout: 240_000 }, async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'truecast.config.mjs'), `export default { quotas: ${JSON.stringify(QUOTAS)} };`);
  await using server = await serve(cwd, ['--config', 'truecast.config.mjs']);
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
