import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { itWhole } from '../matrix.ts';
import {
  type CliRun,
  codexEnvironment,
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
const EXEC = ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox'];

interface Scene extends AsyncDisposable {
  readonly nonce: string;
  readonly server: ScriptedModelServer;
  readonly workplace: Workplace;
  codex(args: readonly string[], stdin: string, key?: string): Promise<CliRun>;
  /** Arguments that request `schema` natively. */
  withSchema(schema: unknown): Promise<string[]>;
}

async function scene(script: ModelScript): Promise<Scene> {
  const nonce = `nonce-${randomUUID()}`;
  const workplace = await makeWorkplace({ [NONCE_FILE]: `${nonce}\n` });
  const server = await scriptedModelServer({ script, key: KEY });
  return {
    nonce,
    server,
    workplace,
    codex: async (args, stdin, key = KEY) => {
      const env = await codexEnvironment({ home: workplace.home, server, key });
      return runCli('codex', args, { cwd: workplace.repo, env, stdin });
    },
    withSchema: async (schema) => {
      const path = join(workplace.root, 'schema.json');
      await writeFile(path, JSON.stringify(schema));
      return [...EXEC, '--output-schema', path];
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await workplace[Symbol.asyncDispose]();
    },
  };
}

/** The agent's last message. */
function answerOf(run: CliRun): unknown {
  const messages = run.events
    .map((event) => event['item'] as { type?: string; text?: string } | undefined) // printed by the pinned CLI
    .filter((item) => item?.type === 'agent_message');
  return messages.at(-1)?.text;
}

function typesOf(run: CliRun): unknown[] {
  return run.events.map((event) => event['type']);
}

describeRealCli('codex', 'Codex against the scripted model server', () => {
  describe('with a prompt', () => {
    let at: Scene;
    let run: CliRun;
    beforeAll(async () => {
      at = await scene(answerInTag);
      run = await at.codex(EXEC, 'Note the nonce.');
    });
    afterAll(() => at[Symbol.asyncDispose]());

    test('runs a shell command, commits, and answers from what the command printed', async () => {
      expect(run.exitCode, describeRun(run, at.server)).toBe(0);
      expect(answerOf(run)).toBe(`Done.\n<result>{"nonce":"${at.nonce}"}</result>`);
      expect(typesOf(run).at(-1)).toBe('turn.completed');
      expect(await at.workplace.git('log', '-1', '--format=%s')).toBe(COMMIT_SUBJECT);
      expect(await at.workplace.git('show', 'HEAD:noted.txt')).toBe(at.nonce);
      expect(at.server.failures).toEqual([]);
    });

    test('posts its prompt, its key and its tools, and every request is one that the service takes', () => {
      const [first, second] = at.server.turns;
      expect(first?.userText).toBe('Note the nonce.');
      expect(first?.headers['authorization']).toBe(`Bearer ${KEY}`);
      expect(first?.tools.map((tool) => tool.name)).toContain('exec_command');
      expect(second?.lastToolResult?.text).toContain(at.nonce);
      expect(at.server.requests.map((request) => request.statusCode)).toEqual([200, 200]);
    });
  });

  test('answers natively under --output-schema, and corrects a value that does not fit when resumed', async () => {
    await using at = await scene((turn) => {
      if (turn.userText === 'nonce must be a string.') return reply.json({ nonce: postedNonce(turn) });
      return turn.lastToolResult === undefined ? readAndCommit() : reply.json({ nonce: 42 });
    });
    const args = await at.withSchema(NONCE_SCHEMA);
    const first = await at.codex(args, 'Note the nonce.');
    const threadId = String(first.events[0]?.['thread_id']);
    const second = await at.codex(
      ['exec', 'resume', threadId, ...args.slice(1), '-'],
      'nonce must be a string.',
    );

    // The CLI does not validate the answer against the schema: exit code 0 proves nothing.
    expect(first.exitCode, describeRun(first, at.server)).toBe(0);
    expect(answerOf(first)).toBe('{"nonce":42}');
    expect(second.exitCode, describeRun(second, at.server)).toBe(0);
    expect(answerOf(second)).toBe(JSON.stringify({ nonce: at.nonce }));
    expect(second.events[0]?.['thread_id']).toBe(threadId);
    expect(at.server.turns.map((turn) => turn.jsonSchema)).toEqual(at.server.turns.map(() => NONCE_SCHEMA));
  });

  test('fails with the place in the schema when the service does not take it', async () => {
    await using at = await scene(() => reply.text('never'));
    const run = await at.codex(
      await at.withSchema({
        ...NONCE_SCHEMA,
        properties: { nonce: { type: 'string' }, note: { type: 'string' } },
      }),
      'Answer.',
    );

    expect(run.exitCode, describeRun(run, at.server)).toBe(1);
    expect(typesOf(run).at(-1)).toBe('turn.failed');
    expect(run.stdout).toContain('invalid_json_schema');
    expect(run.stdout).toContain("Missing 'note'");
    expect(at.server.turns).toEqual([]);
  });

  itWhole('resumes a session with all that was said before', async () => {
    await using at = await scene((turn) =>
      turn.userText === 'And again?' ? reply.text(`It was ${postedNonce(turn)}.`) : answerInTag(turn),
    );
    const first = await at.codex(EXEC, 'Note the nonce.');
    const threadId = String(first.events[0]?.['thread_id']);
    const second = await at.codex(['exec', 'resume', threadId, ...EXEC.slice(1), '-'], 'And again?');

    expect(second.exitCode, describeRun(second, at.server)).toBe(0);
    expect(answerOf(second)).toBe(`It was ${at.nonce}.`);
  });

  itWhole('fails its turn and exits with 1 when the service answers 429', async () => {
    await using at = await scene(() => reply.error(429, { message: 'Slow down.', retryAfterSeconds: 0 }));
    const run = await at.codex(EXEC, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(1);
    expect(typesOf(run).at(-1)).toBe('turn.failed');
    expect(run.stdout).toContain('429');
  });

  itWhole('recovers from a service that fails once', async () => {
    await using at = await scene([reply.error(503), reply.text('Here again.')]);
    const run = await at.codex(EXEC, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(answerOf(run)).toBe('Here again.');
  });

  itWhole('fails its turn with the status when its key is refused', async () => {
    await using at = await scene(() => reply.text('never'));
    const run = await at.codex(EXEC, 'Answer.', 'another-key');

    expect(run.exitCode, describeRun(run, at.server)).toBe(1);
    expect(typesOf(run).at(-1)).toBe('turn.failed');
    expect(run.stdout).toContain('401');
    expect(at.server.turns).toEqual([]);
  });

  test('asks again when the connection is cut in the middle of an answer', async () => {
    await using at = await scene([reply.cut({ afterChunks: 5 }), reply.text('Whole.')]);
    const run = await at.codex(EXEC, 'Answer.');

    expect(run.exitCode, describeRun(run, at.server)).toBe(0);
    expect(answerOf(run)).toBe('Whole.');
    expect(at.server.turns).toHaveLength(2);
  });
});
