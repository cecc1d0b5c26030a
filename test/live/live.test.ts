/** Short form of `npm run proof:live`: the scripted model answers, and a limit that is spent stops the questions. */
import { describe, expect, it } from 'vitest';
import { extractOutput } from '../../packages/truecast/src/index.ts';
import { describeRealCli } from '../agents/real-cli.ts';
import { proveLive } from './prove-live.ts';
import type { LiveReport } from './report.ts';
import { createSpendAccount } from './spend-account.ts';
import { TASKS } from './tasks.ts';

const NO_KEYS = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '' };

/** In this process: the program only reads its flags. It changes the environment, which is then as before. */
async function prove(...flags: readonly string[]): Promise<LiveReport & { readonly stdout: string }> {
  const before = { ...process.env };
  const lines: string[] = [];
  Object.assign(process.env, NO_KEYS);
  try {
    const report = await proveLive(flags, (line) => void lines.push(line));
    return { ...report, stdout: lines.join('\n') };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

const MODELS = ['--only', 'Anthropic,OpenAI,Google'];

describe('the proof with real models', () => {
  it('has twenty tasks of different forms, whose right answers fit', async () => {
    expect(new Set(TASKS.map(({ name }) => name)).size).toBe(20);
    for (const { name, output, right } of TASKS) {
      const text = typeof right === 'string' ? right : JSON.stringify(right);
      expect(await extractOutput(text, output), name).toEqual(right);
    }
  });

  it('asks three services in a dry run, each corrected once, and stops one whose share is spent', async () => {
    const whole = await prove('--dry', '--tasks', '4', ...MODELS);
    expect(
      whole.rows.map(({ answers }) => answers.map(({ code, attempts }) => `${code} ${attempts}`)),
    ).toEqual(whole.rows.map(() => ['ok 2', 'ok 2', 'ok 2', 'ok 2']));
    expect(whole.rows).toHaveLength(3);
    expect(whole.spentUsd).toBeGreaterThan(0);
    expect(whole.stdout).toContain('24 requests to the scripted model.');

    const first = whole.rows.map(({ answers }) => answers[0]?.usage?.costUsd ?? 0);
    const limit = 3 * Math.min(...first);
    const { rows, stdout } = await prove('--dry', '--tasks', '4', '--limit-usd', String(limit), ...MODELS);
    for (const { answers, left } of rows) {
      expect(answers.length).toBeLessThan(4);
      expect(left).toBe('its share of the limit is spent');
    }
    // A share can be exceeded by one request, never by a task.
    const largest = Math.max(
      ...whole.rows.flatMap(({ answers }) => answers.map(({ usage }) => usage?.costUsd ?? 0)),
    );
    const spent = rows.map(({ answers }) =>
      answers.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0),
    );
    for (const usd of spent) expect(usd).toBeLessThanOrEqual(limit / 3 + largest);
    expect(Number(/(\d+) requests/u.exec(stdout)?.[1])).toBeLessThan(24);
  });

  it('leaves out who has no key, and says so', async () => {
    const { rows, spentUsd } = await prove('--tasks', '1', '--only', 'Claude Code,OpenAI');
    expect(rows).toMatchObject([
      { answers: [], left: 'no ANTHROPIC_API_KEY' },
      { answers: [], left: 'no OPENAI_API_KEY' },
    ]);
    expect(spentUsd).toBe(0);
  });
});

describe('the spend account', () => {
  it('charges a task without a known cost all that it was allowed', () => {
    const account = createSpendAccount(2, ['a', 'b']);
    account.charge('a', 0.25);
    expect(account.left('a')).toBe(0.75);
    account.charge('a', undefined);
    expect([account.left('a'), account.left('b'), account.spent()]).toEqual([0, 1, 1]);
    account.charge('a', undefined);
    expect(account.spent()).toBe(1);
  });

  it('allows nothing to one that it does not know', () => {
    expect(createSpendAccount(2, ['a']).left('b')).toBe(0);
  });
});

describeRealCli('claude', 'the proof with a real agent', () => {
  it('asks Claude Code in a dry run', async () => {
    const { rows, spentUsd } = await prove('--dry', '--tasks', '1', '--only', 'Claude Code');
    expect(rows[0]?.answers).toMatchObject([{ code: 'ok' }]);
    expect(spentUsd).toBeGreaterThan(0);
  });
});
