/** Tests of attachments with the real CLIs: each reads a file by the tool that it has for files. */
import { delimiter } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { FORM } from '../matrix.ts';
import { CLI_CASES, KEY } from './cli-cases.ts';
import { CLI_BIN_DIRS, describeRealCli, makeWorkplace, type RealCli } from './real-cli.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The tool for files of each CLI, and the name of its argument. Codex has a shell alone. */
const READ_TOOLS: Partial<Record<RealCli, readonly [name: string, argument: string]>> = {
  claude: ['Read', 'file_path'],
  opencode: ['read', 'filePath'],
  copilot: ['view', 'path'],
  gemini: ['read_file', 'file_path'],
  pi: ['read', 'path'],
};

/**
 * Gemini CLI is always tried: its tool refuses ignored files unless it is set to read them. The short form
 * tries Pi beside it.
 */
const TRIED = [
  ...CLI_CASES.filter(({ cli }) => (FORM === 'whole' ? cli !== 'gemini' : cli === 'pi')),
  ...CLI_CASES.filter((each) => each.cli === 'gemini'),
];

afterEach(() => void vi.unstubAllEnvs());

for (const { cli, title, agent, environment } of TRIED) {
  const tool = READ_TOOLS[cli];
  if (tool === undefined) continue;
  describeRealCli(cli, `attachments of ${title}`, () => {
    it('are read by their paths, although git ignores them', async () => {
      await using work = await makeWorkplace({ 'a.txt': 'one\n' });
      let read = '';
      await using server = await scriptedModelServer({
        key: KEY,
        script: [
          ({ userText }) => {
            const path = /^- (\/.*-spec\.md)$/mu.exec(userText)?.[1] ?? 'no path in the prompt';
            return reply.tool(tool[0], { [tool[1]]: path });
          },
          ({ toolResults }) => {
            read = String(toolResults.at(-1)?.text);
            return reply.text('Done.');
          },
        ],
      });
      vi.stubEnv('PATH', `${CLI_BIN_DIRS}${delimiter}${process.env['PATH']}`);
      for (const [name, value] of Object.entries(environment(server, work.home))) vi.stubEnv(name, value);
      await run({
        agent: agent(server),
        sandbox: noSandbox(),
        cwd: work.repo,
        prompt: 'Read the specification.',
        logging: {},
        attachments: [{ name: 'spec.md', data: 'only in the attachment' }],
      });
      expect(read).toContain('only in the attachment');
    });
  });
}
