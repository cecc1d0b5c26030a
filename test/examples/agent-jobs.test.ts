/** Runs the example of agent jobs: two servers share a database, and the one that executes the run is killed. */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { serve } from '../cli/serve-fixture.ts';
import { itInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnPostgres } from '../describe-on-both-stores.ts';
import { printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { examplesFolder } from '../package/examples-folder.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';

/** Commits `half`. With `crashes` in its prompt, the first start then waits to be killed. The next one commits `rest`. */
const CLAUDE = `prompt=$(cat)
commit() { git cat-file -e "HEAD:$1" 2> /dev/null || { echo 1 > "$1" && git add "$1" && git commit -q -m "$1" >&2; }; }
commit half
case "$prompt" in
  *crashes*) [ -e waits ] || { : > waits; ${printText('I wait.\n')}; sleep 600; }; rm waits ;;
esac
commit rest
${printResult({ structured_output: { cause: 'an empty list' } })}`;

const output = Output.object({ schema: z.object({ cause: z.string() }) });

describeOnPostgres('jobs for coding agents', ({ freshUrl }) => {
  itInBubblewrap('end once, although a worker is killed', async () => {
    const repository = makeRepository();
    const example = join(await examplesFolder(), 'agent-jobs');
    const args = ['--database-url', await freshUrl(), '--config', join(example, 'truecast.config.ts')];
    const env = {
      PATH: writeFakeClaude(temporaryFolder(), CLAUDE),
      WEB_REPOSITORY: repository,
      // The egress `model` needs a key. No request is sent.
      ANTHROPIC_API_KEY: 'sk-a-key-for-tests',
    };
    const start = () => serve(temporaryFolder(), [...args, '--model', 'scripted:demo'], env);
    await using killed = await start();
    const asked = { repository: 'web', agent: 'claude-code', prompt: 'It crashes.', output };
    const client = createClient({ baseURL: killed.url, token: killed.token });
    const { id, events } = await client.runs.create(asked);
    for await (const { event } of events()) if (event.type === 'text') break;
    await using living = await start();
    await killed.end('SIGKILL');

    const other = createClient({ baseURL: living.url, token: killed.token });
    const run = other.runs.get(id, { output });
    const result = await run.result();
    expect(result).toMatchObject({ output: { cause: 'an empty list' }, receipt: { executions: 2 } });
    const branch = `truecast/runs/${id}`;
    const subjects = git(repository, 'log', '--reverse', '--format=%s', branch).split('\n');
    expect(subjects).toEqual(['begin', 'half', 'rest']);
    expect(git(repository, 'rev-list', '--reverse', branch).split('\n').slice(1)).toEqual(result.commits);
    const types: string[] = [];
    for await (const { event } of run.events()) types.push(event.type);
    expect(types.filter((type) => type === 'execution')).toHaveLength(2);
    expect(types.filter((type) => type === 'receipt')).toHaveLength(1);

    const { stdout } = await execa(process.execPath, [join(example, 'send.ts'), 'It is empty'], {
      env: { TRUECAST_URL: living.url, TRUECAST_TOKEN: killed.token },
    });
    expect(stdout).toMatch(/^It is empty: an empty list, 2 commits on truecast\/runs\//u);
  });
});
