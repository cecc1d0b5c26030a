/**
 * Runs programs written for another runner with the real Claude Code. Only their import line is
 * changed.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { matrixRow } from '../matrix.ts';
import { examplesFolder } from '../package/examples-folder.ts';
import { claudeEnvironment, describeRealCli, makeWorkplace, type Workplace } from './real-cli.ts';

const EXAMPLES = join(await examplesFolder(), 'migration');

const PLAN = '{"issues":[{"id":"7","title":"Greet","branch":"agent/issue-7"}]}';

/** The user's messages, in order. */
function userWords({ messages }: ScriptedTurn): readonly string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'));
}

/** Answers each program as an obedient agent would. */
function script(turn: ScriptedTurn): MessageReply {
  const said = userWords(turn);
  const now = said.at(-1) ?? '';
  if (now.includes('Review what you wrote')) return reply.text('LGTM');
  if (now.includes('Tries left after this one')) return reply.text(`<plan>${PLAN}</plan>`);
  const asked = said.join('\n');
  if (asked.includes('<plan>')) return reply.text('<plan>{"issues": wrong}</plan>');
  if (asked.includes('<summary>')) {
    return reply.text(`<summary>${/Sum up 7: Greet for (.*) in 50 words/u.exec(asked)?.[1] ?? ''}</summary>`);
  }
  const issue = /Solve issue (\d)/u.exec(asked)?.[1];
  const file = issue === undefined ? 'greeting.txt' : `issue-${issue}.txt`;
  if (turn.lastToolResult === undefined) {
    return reply.steps([
      reply.text('I write it.'),
      reply.shell(`echo "hello $GREETING" > ${file} && git add ${file} && git commit -q -m 'add ${file}'`),
    ]);
  }
  if (issue === undefined) return reply.text(' It is done. <promise>COMPLETE</promise>');
  return reply.text(issue === '3' ? '<result>{"done":"maybe"}</result>' : '<result>{"done":true}</result>');
}

describeRealCli('claude', 'a program that moved over', () => {
  let work: Workplace;
  let server: ScriptedModelServer;
  beforeAll(async () => {
    server = await scriptedModelServer({ script });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    work = await makeWorkplace({ 'issues.md': '7: Greet\n' });
    return () => work[Symbol.asyncDispose]();
  });

  async function runExample(name: string): Promise<string> {
    const { stdout } = await execa(process.execPath, [join(EXAMPLES, name)], {
      cwd: work.repo,
      env: claudeEnvironment({ home: work.home, server }),
      extendEnv: false,
      timeout: 240_000,
    });
    return stdout;
  }

  /** Each starts Claude Code two to six times. */
  const itInTurns = matrixRow(1, { rows: 2 });

  itInTurns('gets a typed plan, after a retry', async () => {
    expect(await runExample('typed-plan.ts')).toBe(
      '7: Greet -> agent/issue-7\ncommits: 0, branch: main, iterations: 2',
    );
  });

  itInTurns('fills a prompt file, and gets text', async () => {
    mkdirSync(join(work.repo, '.truecast'));
    writeFileSync(
      join(work.repo, '.truecast', 'summary.md'),
      'Sum up !`cat issues.md` for {{AUDIENCE}} in {{WORDS}} words, in a <summary> tag.',
    );
    expect(await runExample('summary.ts')).toBe('a new colleague');
  });

  itInTurns('implements, tests and reviews in a warm sandbox', async () => {
    expect(await runExample('implement-then-review.ts')).toBe(
      'tests: 0, signal: <promise>COMPLETE</promise>\nreview: LGTM',
    );
    expect(await work.git('ls-tree', '--name-only', 'agent/greeting')).toBe('greeting.txt\nissues.md');
  });

  itInTurns('merges what it did in a worktree', async () => {
    expect(await runExample('worktree-loop.ts')).toMatch(
      /^merged [0-9a-f]{7} into main\ngreeting\.txt\nissues\.md\nkept: nothing$/u,
    );
    expect(await work.git('show', 'HEAD:greeting.txt')).toBe('hello hello');
  });

  itInTurns('prepares its worktree, and watches', async () => {
    writeFileSync(join(work.repo, 'settings.local'), 'mine\n');
    appendFileSync(join(work.repo, '.git', 'info', 'exclude'), 'settings.local\n');
    const shown = await runExample('hooks-and-logging.ts');
    expect(shown).toContain('tools: Bash(echo "hello $GREETING" > greeting.txt');
    expect(shown).toContain('words: I write it. It is done.');
    expect(shown).toMatch(/log: .*\.truecast\/logs\/watched\.log, kept: true/u);
  });

  itInTurns('brings its own agent and its own sandbox', async () => {
    expect(await runExample('custom-providers.ts')).toBe('forty-two');
  });

  itInTurns('works on several branches at once', async () => {
    expect(await runExample('parallel.ts')).toBe(
      '1: true, 1 commits\n2: true, 1 commits\n3: invalid {"done":"maybe"} on agent/issue-3, 1 commits',
    );
  });
});
