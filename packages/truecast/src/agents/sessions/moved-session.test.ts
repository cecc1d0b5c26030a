import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createClaudeSessionStorage } from '../claude-code/claude-session.ts';
import { createCodexSessionStorage } from '../codex/codex-session.ts';
import { exportSession, importSession } from './moved-session.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const TEXT = `{"type":"user","cwd":"/a","sessionId":"${ID}"}\n`;

const TOTALS = { get: () => undefined, set: () => undefined, read: () => undefined };

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it.each([
  [
    'claude-code',
    (root: string) => createClaudeSessionStorage({ hostProjectsDir: root }, {}),
    `-a/${ID}.jsonl`,
  ],
  [
    'codex',
    (root: string) => createCodexSessionStorage({ hostSessionsDir: root }, {}, TOTALS),
    `2026/11/28/rollout-2026-11-28T10-00-00-${ID}.jsonl`,
  ],
])('a session of %s is found on the host to which it was moved', async (_name, make, source) => {
  const [first, second] = [makeFolder(), makeFolder()];
  expect(await exportSession(make(first), ID)).toBeUndefined();
  expect(await importSession(make(first), ID, { source, text: TEXT })).toBe(true);
  const moved = await exportSession(make(first), ID);
  expect(moved).toEqual({ source, text: TEXT });
  expect(await importSession(make(second), ID, moved ?? { source: '', text: '' })).toBe(true);
  expect(readFileSync(join(second, source), 'utf8')).toBe(TEXT);
  await importSession(make(second), ID, { source, text: `${TEXT}${TEXT}` });
  expect(readFileSync(join(second, source), 'utf8')).toBe(`${TEXT}${TEXT}`);
});

it.each([`../${ID}.jsonl`, `a/../../${ID}.jsonl`, `/tmp/x/${ID}.jsonl`, ''])(
  'a session whose file would be at %j is not stored',
  async (source) => {
    const root = join(makeFolder(), 'projects');
    const storage = createClaudeSessionStorage({ hostProjectsDir: root }, {});
    expect(await importSession(storage, ID, { source, text: TEXT })).toBe(false);
    expect(existsSync(join(dirname(root), `${ID}.jsonl`))).toBe(false);
    expect(existsSync(root)).toBe(false);
  },
);
