/**
 * README's program, word for word, with the real Claude Code in bubblewrap: with a scripted model
 * that fixes and commits, and with `truecast mock` as README starts it.
 */
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { reply } from '../../packages/model/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/model/src/scripted-model/scripted-model-server.ts';
import { runSnippet, snippetsOf, type Snippet } from '../docs/page-snippets.ts';
import { commandFile } from '../package/shared-build.ts';
import { CLI_BIN_DIR, describeRealCli } from './real-cli.ts';

/** The answer's tool of Claude Code's native route. */
const ANSWER_TOOL = 'StructuredOutput';

const program = snippetsOf('README.md').find(({ info }) => info === 'ts');
const shown = /console\.log\(.*\); \/\/ (?<output>.+)$/mu.exec(program?.code ?? '')?.groups?.['output'];

const runProgram = (env: Readonly<Record<string, string>>): Promise<string> =>
  runSnippet(program as Snippet, {
    PATH: `${CLI_BIN_DIR}${delimiter}${process.env['PATH'] ?? ''}`,
    ...env,
  });

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

  it('gets a valid sample from `truecast mock`, which commits nothing', async () => {
    const mock = execa(process.execPath, [await commandFile(), 'mock', '--port', '0'], {
      stdin: 'ignore',
      buffer: false,
    });
    try {
      const [lines] = (await once(mock.stdout, 'data')) as [Buffer];
      const [, baseUrl = ''] = /ANTHROPIC_BASE_URL=(\S+)/u.exec(lines.toString('utf8')) ?? [];
      const printed = await runProgram({ ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'mock' });
      expect(printed).toMatch(/^\d+ 0\n$/u);
    } finally {
      mock.kill('SIGINT');
      await mock;
    }
  });
});
