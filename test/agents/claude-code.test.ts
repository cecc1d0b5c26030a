import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { NATIVE_ANSWER_TOOL } from '../../packages/testing/src/scripted-model/turn/settle-message.ts';
import { itWhole } from '../matrix.ts';
import {
  claudeEnvironment,
  type CliRun,
  describeRealCli,
  describeRun,
  makeWorkplace,
  runCli,
  type Workplace,
} from './real-cli.ts';
import {
  answerInTag,
  COMMIT_SUBJECT,
  NONCE_FILE,
  NONCE_SCHEMA,
  postedNonce,
  readAndCommit,
} from './scripts.ts';

const KEY = 'scripted-key';
const PRINT = ['-p', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'];
const WITH_SCHEMA = [...PRINT, '--json-schema', JSON.stringify(NONCE_SCHEMA)];

interface Scene extends AsyncDisposable {
  readonly nonce: string;
  readonly server: ScriptedModelServer;
  readonly workplace: Workplace;
  claude(args: readonly string[], stdin: string, key?: string): Promise<CliRun>;
}

async function scene(script: ModelScript): Promise<Scene> {
  const nonce = `nonce-${randomUUID()}`;
  const workplace = await makeWorkplace({ [NONCE_FILE]: `${nonce}\n` });
  const server = await scriptedModelServer({ script, key: KEY });
  return {
    nonce,
    server,
    workplace,
    claude: (args, stdin, key = KEY) => {
      const env = claudeEnvironment({ home: workplace.home, server, key });
      return runCli('claude', args, { cwd: workplace.repo, env, stdin });
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await workplace[Symbol.asyncDispose]();
    },
  };
}

function resultOf(run: CliRun): Readonly<Record<string, unknown>> {
  return run.events.findLast((event) => event['type'] === 'result') ?? {};
}

describeRealCli('claude', 'Claude Code against the scripted model server', () => {
  describe('with a prompt', () => {
    let at: Scene;
    let run: CliRun;
    beforeAll(async () => {
      at = await scene(answerInTag);
      run = await at.claude(PRINT, 'Note the nonce.');
    });
    afterAll(() => at[Symbol.asyncDispose]());

    test('runs a shell command, commits, and answers from what the command printed', async () => {
      expect(run.exitCode, describeRun(run, at.server)).toBe(0);
      expect(resultOf(run)['result']).toBe(`Done.\n<result>{"nonce":"${at.nonce}"}</result>`);
      expect(await at.workplace.git('log', '-1', '--format=%s')).toBe(COMMIT_SUBJECT);
      expect(await at.workplace.git('show', 'HEAD:noted.txt')).toBe(at.nonce);
      expect(at.server.failures).toEqual([]);
    });

    test('posts its prompt, its key and its tools, and every request is one that the service takes', () => {
      const [first, second] = at.server.turns;
      expect(first?.userText).toBe('Note the nonce.');
      expect(first?.headers['x-api-key']).toBe(KEY);
      expect(first?.tools.map((tool) => tool.name)).toContain('Bash');
      expect(second?.lastToolResult).toMatchObject({ name: 'Bash', text: at.nonce, isError: false });
      expect(at.server.requests.map((request) => request.statusCode)).toEqual([200, 200]);
    });
  });

  itWhole('streams the text of one-character deltas whole', async () => {
    await using at = await scene([reply.text('a <result>{"x":"ü👍"}</result> b', { chunkChars: 1 })]);
    const run = await at.claude(PRINT, 'Answer.');

    expect(resultOf(run)['result']).toBe('a <result>{"x":"ü👍"}</result> b');
  });

  test('answers natively under --json-schema, after a connection that was cut in an answer, and after a value that does not fit was handed back to it', async () => {
    let isCut = false;
    await using at = await scene((turn) => {
      if (!isCut) {
        isCut = true;
        return reply.cut({ afterChunks: 4 });
      }
      if (turn.lastToolResult === undefined) return readAndCommit();
      const isFirstTry = turn.lastToolResult.name !== NATIVE_ANSWER_TOOL;
      return isFirstTry ? reply.json({ nonce: 42 }) : reply.json({ nonce: postedNonce(turn) });
    });
    const run = await at.claude(WITH_SCHEMA, 'Note the nonce.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(resultOf(run)['structured_output']).toEqual({ nonce: at.nonce });
    expect(at.server.turns[0]?.jsonSchema).toMatchObject({ properties: { nonce: { type: 'string' } } });
    expect(at.server.turns[1]?.userText).toBe('Note the nonce.');
    expect(at.server.turns[3]?.lastToolResult).toMatchObject({ name: NATIVE_ANSWER_TOOL, isError: true });
  });

  itWhole('exits with 0 and no structured output when the model only talks under --json-schema', async () => {
    await using at = await scene(() => reply.text('I would rather talk.'));
    const run = await at.claude(WITH_SCHEMA, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(resultOf(run)).toMatchObject({ subtype: 'success', is_error: false });
    expect(resultOf(run)).not.toHaveProperty('structured_output');
    expect(at.server.turns.at(-1)?.userText).toContain(NATIVE_ANSWER_TOOL);
  });

  itWhole('resumes a session with all that was said before', async () => {
    await using at = await scene((turn) =>
      turn.userText === 'And again?' ? reply.text(`It was ${postedNonce(turn)}.`) : answerInTag(turn),
    );
    const first = await at.claude(PRINT, 'Note the nonce.');
    const sessionId = String(resultOf(first)['session_id']);
    const second = await at.claude([...PRINT, '--resume', sessionId], 'And again?');

    expect(second.exitCode, describeRun(second, at.server)).toBe(0);
    expect(resultOf(second)['result']).toBe(`It was ${at.nonce}.`);
    expect(resultOf(second)['session_id']).toBe(sessionId);
  });

  itWhole(
    'reports success with an error and exits with 1 when the provider keeps returning 429',
    async () => {
      await using at = await scene(() => reply.error(429, { message: 'Slow down.', retryAfterSeconds: 0 }));
      const run = await at.claude(PRINT, 'Answer.');

      expect(run.exitCode, describeRun(run, at.server)).toBe(1);
      expect(resultOf(run)).toMatchObject({ subtype: 'success', is_error: true, api_error_status: 429 });
      expect(at.server.turns).toHaveLength(2);
    },
  );

  itWhole('recovers from an overloaded service', async () => {
    await using at = await scene([reply.error(529), reply.text('Here again.')]);
    const run = await at.claude(PRINT, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(resultOf(run)['result']).toBe('Here again.');
  });

  itWhole('fails with the status when its key is refused', async () => {
    await using at = await scene(() => reply.text('never'));
    const run = await at.claude(PRINT, 'Answer.', 'another-key');

    expect(run.exitCode, describeRun(run, at.server)).toBe(1);
    expect(resultOf(run)).toMatchObject({ is_error: true, api_error_status: 401 });
    expect(at.server.turns).toEqual([]);
  });

  // The short form cuts the connection of the native answer, above.
  itWhole('asks again when the connection is cut in the middle of an answer', async () => {
    await using at = await scene([reply.cut({ afterChunks: 4 }), reply.text('Whole.')]);
    const run = await at.claude(PRINT, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(resultOf(run)['result']).toBe('Whole.');
    expect(at.server.turns).toHaveLength(2);
  });
});
