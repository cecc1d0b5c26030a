/**
 * Tests of the real CLIs in the user's own checkout, where the folders of their settings are
 * read-only, although a CLI can expect to write its own.
 */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { describeInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { CLI_CASES, KEY, triedRows } from './cli-cases.ts';
import { CLI_BIN_DIRS, describeRealCli, makeWorkplace, quickStart } from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });
afterEach(() => void vi.unstubAllEnvs());

for (const { cli, title, agent, environment } of triedRows(CLI_CASES)) {
  const name = `the real ${title} in the checkout itself`;
  if (runsBubblewrap) describeRealCli(cli, name, () => declare());
  else describeInBubblewrap(name, () => undefined);

  function declare(): void {
    it('works beside read-only settings of every agent, and leaves none behind', async () => {
      await using work = await makeWorkplace({ 'one.txt': '1\n' });
      const before = readdirSync(work.repo);
      await using server = await scriptedModelServer({
        script: [() => reply.shell('echo 2 > two.txt'), () => reply.text('Done.')],
        key: KEY,
      });
      vi.stubEnv('PATH', `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`);
      for (const [key, value] of Object.entries(environment(server, work.home))) vi.stubEnv(key, value);
      const result = await run({
        agent: agent(server),
        sandbox: bubblewrap(quickStart()),
        cwd: work.repo,
        branchStrategy: { type: 'head' },
        prompt: 'Write two.txt.',
        timeouts: { idleMs: 100_000 },
      });
      expect(server.failures).toEqual([]);
      expect(result.text).toContain('Done.');
      expect(existsSync(join(work.repo, 'two.txt'))).toBe(true);
      expect(result.sensitiveChanges).toEqual([]);
      const left = readdirSync(work.repo).filter((entry) => entry !== '.truecast');
      expect(left).toEqual([...before, 'two.txt'].toSorted());
    });
  }
}
