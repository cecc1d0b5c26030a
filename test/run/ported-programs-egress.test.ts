/**
 * Programs as they are written for another runner, with the default network of bubblewrap: each
 * reaches its model with a key and with a stored login. The agent's CLI is a small script, because
 * `test/agents/default-egress.test.ts` starts the real one.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import type { MountConfig } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns } from '../matrix.ts';
import { makeRepository, temporaryFolder } from './fixture.ts';

const TOKEN = `sk-ant-oat01-${'a'.repeat(40)}`;
const output = Output.object({ tag: 'result', schema: z.object({ status: z.string() }) });

/** Calls the model as the CLI does, and answers with the status of the response. */
const CLAUDE = `#!/bin/sh
cat > /dev/null
key="$ANTHROPIC_API_KEY"
login=$(sed -n 's/.*"accessToken":"\\([^"]*\\)".*/\\1/p' ~/.claude/.credentials.json 2> /dev/null)
[ -n "$login" ] && auth="authorization: Bearer $login" || auth="x-api-key: $key"
status=$(curl -s -o /dev/null -w '%{http_code}' "$ANTHROPIC_BASE_URL/v1/messages" -H "$auth" -H 'content-type: application/json' -H 'anthropic-version: 2023-06-01' \\
  -d '{"model":"claude-opus-4-8","max_tokens":16,"messages":[{"role":"user","content":"Hi"}]}')
text="<result>{\\\\\\"status\\\\\\":\\\\\\"$status\\\\\\"}</result> <promise>COMPLETE</promise>"
echo '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111"}'
echo "{\\"type\\":\\"assistant\\",\\"message\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$text\\"}]}}"
echo "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"result\\":\\"$text\\"}"
`;

interface Place {
  readonly cwd: string;
  readonly mounts: readonly MountConfig[];
  /** The address of the model and, without a login, its key. */
  readonly env: Readonly<Record<string, string>>;
}

type Program = (place: Place) => Promise<readonly unknown[]>;

const agent = claudeCode('claude-opus-4-8', { captureSessions: false });
const options = ({ cwd, mounts, env }: Place) =>
  ({ agent, sandbox: bubblewrap({ mounts }), cwd, env, prompt: 'Answer in <result>.' }) satisfies RunOptions;
const one = async (place: Place, more: Partial<RunOptions> = {}): Promise<readonly unknown[]> => {
  const result = await run({ ...options(place), output, ...more } as RunOptions & { output: typeof output });
  return [result.output.status];
};

/** Ten programs, by what their authors use. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  'one run in the checkout': (place) => one(place, { branchStrategy: { type: 'head' } }),
  'a run that merges': (place) => one(place, { branchStrategy: { type: 'merge-to-head' } }),
  'a run on a named branch': (place) =>
    one(place, { branchStrategy: { type: 'branch', branch: 'agent/named' } }),
  'a summary as text': async (place) => {
    const result = await run({ ...options(place), output: Output.string({ tag: 'result' }) });
    return [/\d{3}/u.exec(result.output)?.[0]];
  },
  'a loop until a completion signal': async (place) => {
    const { stdout, completionSignal } = await run({
      ...options(place),
      maxIterations: 3,
      completionSignal: '<promise>COMPLETE</promise>',
    });
    expect(completionSignal).toBe('<promise>COMPLETE</promise>');
    return [/"status":"(\d+)"/u.exec(stdout)?.[1]];
  },
  'a prompt file with arguments': async (place) => {
    const promptFile = join(temporaryFolder(), 'prompt.md');
    writeFileSync(promptFile, 'Solve {{ISSUE}}. Answer in <result>.');
    const { prompt: _inline, ...rest } = options(place);
    const result = await run({ ...rest, promptFile, promptArgs: { ISSUE: '7' }, output });
    return [result.output.status];
  },
  'hooks that set the sandbox up': (place) =>
    one(place, { hooks: { sandbox: { onSandboxReady: [{ command: 'git status --short' }] } } }),
  'three branches in parallel': async (place) => {
    const all = [1, 2, 3].map((id) =>
      one(place, { branchStrategy: { type: 'branch', branch: `agent/issue-${id}` } }),
    );
    return (await Promise.all(all)).flat();
  },
  'implement, then review in a warm sandbox': async (place) => {
    const { sandbox, cwd, env } = options(place);
    await using warm = await createSandbox({ branch: 'agent/warm', sandbox, cwd, env, agents: [agent] });
    const implemented = await warm.run({ agent, prompt: 'Implement. Answer in <result>.', output });
    const reviewed = await warm.run({ agent, prompt: 'Review. Answer in <result>.', output });
    return [implemented.output.status, reviewed.output.status];
  },
  'a time limit and a signal': (place) =>
    one(place, { signal: AbortSignal.timeout(60_000), timeouts: { idleMs: 30_000 } }),
};

describeInBubblewrap('a program of another runner', () => {
  const saved = { ...process.env };
  let server: ScriptedModelServer;
  beforeAll(async () => {
    server = await scriptedModelServer({ key: TOKEN, script: () => reply.text('Hi.') });
  });
  afterAll(() => server.close());
  afterEach(() => void Object.assign(process.env, { PATH: saved['PATH'], HOME: saved['HOME'] }));

  // The short form tries each program with one of them.
  const credentials = ['a key', 'a stored login'];
  it.each(
    credentials.flatMap((by, row) =>
      matrixColumns(row, Object.keys(PROGRAMS), { rows: credentials.length }).map(
        (name) => [name, by] as const,
      ),
    ),
  )('reaches its model by default: %s, with %s', async (name, by) => {
    const bin = temporaryFolder();
    writeFileSync(join(bin, 'claude'), CLAUDE);
    chmodSync(join(bin, 'claude'), 0o755);
    Object.assign(process.env, { PATH: `${bin}${delimiter}${saved['PATH']}`, HOME: temporaryFolder() });
    const place = { cwd: makeRepository(), mounts: [] as MountConfig[], env: {} as Record<string, string> };
    place.env['ANTHROPIC_BASE_URL'] = server.anthropicUrl;
    if (by === 'a key') place.env['ANTHROPIC_API_KEY'] = TOKEN;
    else {
      const login = join(temporaryFolder(), 'login');
      mkdirSync(login);
      writeFileSync(join(login, '.credentials.json'), `{"claudeAiOauth":{"accessToken":"${TOKEN}"}}`);
      place.mounts.push({ hostPath: login, sandboxPath: '~/.claude' });
    }
    const seen = (await PROGRAMS[name]?.(place)) ?? [];
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set(['200']));
  });
});
