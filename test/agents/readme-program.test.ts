/**
 * README's program with real agents in bubblewrap: with Claude Code word for word, and with only the
 * agent's name replaced. The model is a script that fixes and commits, or `truecast mock` as README
 * starts it.
 */
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { readPage, runSnippet, snippetsOf, type Snippet } from '../docs/page-snippets.ts';
import { commandFile } from '../package/shared-build.ts';
import { itWhole } from '../matrix.ts';
import { CLI_BIN_DIR, describeRealCli } from './real-cli.ts';

/** The answer's tool of Claude Code's native mode. */
const ANSWER_TOOL = 'StructuredOutput';

const program = snippetsOf('README.md').find(({ info }) => info === 'ts');
const shown = /console\.log\(.*\); \/\/ (?<output>.+)$/mu.exec(program?.code ?? '')?.groups?.['output'];
/** What README shows for the same program with `truecast mock`. */
const sampled = /^node first\.ts +# (?<output>[^:\n]+):/mu.exec(readPage('README.md'))?.groups?.['output'];

const runProgram = (
  env: Readonly<Record<string, string>>,
  agent = 'claudeCode',
  model = '',
): Promise<string> => {
  const { code, ...place } = program as Snippet;
  return runSnippet(
    { ...place, code: code.replaceAll('claudeCode()', `${agent}(${model})`).replaceAll('claudeCode', agent) },
    { PATH: `${CLI_BIN_DIR}${delimiter}${process.env['PATH'] ?? ''}`, ...env },
  );
};

/** Runs the program with the lines that `truecast mock` prints for this variable. */
async function runAgainstMock(name: 'ANTHROPIC' | 'OPENAI', agent: string): Promise<string> {
  const mock = execa(process.execPath, [await commandFile(), 'mock', '--port', '0'], {
    stdin: 'ignore',
    buffer: false,
  });
  try {
    const [lines] = (await once(mock.stdout, 'data')) as [Buffer];
    const line = new RegExp(`${name}_BASE_URL=(\\S+) ${name}_API_KEY=(\\S+)`, 'u');
    const [, baseURL = '', key = ''] = line.exec(lines.toString('utf8')) ?? [];
    return await runProgram({ [`${name}_BASE_URL`]: baseURL, [`${name}_API_KEY`]: key }, agent);
  } finally {
    mock.kill('SIGINT');
    await mock;
  }
}

describeRealCli('claude', "README's program with the real Claude Code", () => {
  it('prints what README shows: the corrected value, and the commit that was merged', async () => {
    const server = await scriptedModelServer({
      script: [
        reply.shell('sed -i "s/<=/</" loop.ts && git commit -qam "Fix the loop"'),
        reply.tool(ANSWER_TOOL, { line: 'one' }),
        reply.tool(ANSWER_TOOL, { line: 1 }),
        reply.text('Done.'),
      ],
    });
    try {
      const printed = await runProgram({ ANTHROPIC_BASE_URL: server.anthropicUrl, ANTHROPIC_API_KEY: 'any' });
      expect(server.failures).toEqual([]);
      expect(printed.trim()).toBe(shown);
    } finally {
      await server.close();
    }
  });

  // The short form plays it with Codex.
  itWhole('prints what README shows for `truecast mock`, which commits nothing', async () => {
    const printed = await runAgainstMock('ANTHROPIC', 'claudeCode');
    expect(printed.trim()).toBe(sampled);
  });
});

describeRealCli('codex', "README's program with the real Codex", () => {
  // The short form plays it with Claude Code.
  itWhole('prints what README shows: the corrected value, and the commit that was merged', async () => {
    const server = await scriptedModelServer({
      script: [
        reply.shell('sed -i "s/<=/</" loop.ts && git commit -qam "Fix the loop"'),
        reply.text('{"line":"one"}'),
        reply.text('{"line":1}'),
      ],
    });
    try {
      const env = { OPENAI_BASE_URL: server.openaiUrl, OPENAI_API_KEY: 'any' };
      // Codex offers its shell as a plain tool to a model that it does not know.
      const printed = await runProgram(env, 'codex', "'scripted'");
      expect(server.failures).toEqual([]);
      expect(printed.trim()).toBe(shown);
    } finally {
      await server.close();
    }
  });

  it('prints what README shows for `truecast mock`, which commits nothing', async () => {
    const printed = await runAgainstMock('OPENAI', 'codex');
    expect(printed.trim()).toBe(sampled);
  });
});
