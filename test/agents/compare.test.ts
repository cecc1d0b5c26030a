/** Test of `truecast compare` with the real Claude Code beside a model: one trial of each. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { runCommand } from '../cli/run-command.ts';
import { claudeEnvironment, describeRealCli, makeWorkplace } from './real-cli.ts';

const SCHEMA = {
  type: 'object',
  properties: { isBug: { type: 'boolean' } },
  required: ['isBug'],
  additionalProperties: false,
};

describeRealCli('claude', 'truecast compare with the real Claude Code', () => {
  it('measures the agent and the model on the same input, and runs no trial twice', async () => {
    const inputs = `${JSON.stringify({ TITLE: 'It crashes.', expected: { isBug: true } })}\n`;
    const files = { 'items.jsonl': inputs, 'schema.json': JSON.stringify(SCHEMA) };
    await using work = await makeWorkplace(files);
    await using server = await scriptedModelServer({
      script: ({ model, userText }) => {
        expect(userText).toContain('It crashes.');
        return reply.text(`<result>{"isBug":${model !== 'local'}}</result>`);
      },
    });
    const compare = async (): Promise<Record<string, unknown>> => {
      const model = ['--model', `${server.openaiUrl}#local`];
      const agent = ['--agent', 'claude-code:claude-opus-4-8', '--sandbox', 'none', '--mode', 'tag'];
      const task = ['--inputs', 'items.jsonl', '--schema', 'schema.json', '--repeat', '1', '--quiet'];
      const { stdout, stderr, exitCode } = await runCommand(
        ['compare', ...task, ...model, ...agent, '--json', 'Is this a bug? {{TITLE}} Answer in <result>.'],
        { cwd: work.repo, env: claudeEnvironment({ home: work.home, server }) },
      );
      expect(exitCode, stderr).toBe(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    await writeFile(join(work.repo, '.gitignore'), 'compare/\n');
    const first = await compare();
    expect(first['rows']).toMatchObject([
      { contestant: 'claude-code:claude-opus-4-8 by tag', valid: { successes: 1 }, right: { successes: 1 } },
      { valid: { successes: 1 }, right: { successes: 0 } },
    ]);
    const requests = server.requests.length;
    expect(await compare()).toEqual(first);
    expect(server.requests).toHaveLength(requests);
  });
});
