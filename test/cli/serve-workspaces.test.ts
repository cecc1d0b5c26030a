/**
 * Workspaces and subagents of the real `truecast serve`, on the host, in bubblewrap and in a
 * container.
 */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM, matrixRow } from '../matrix.ts';
import { serveBeside, type AnyServer } from './serve-fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const statusSchema = z.object({ status: z.string() });
const outputSchema = z.object({ exit_code: z.number(), stdout: z.string(), stderr: z.string() });

/** A tool call, built from the previous call's result. */
type Step = (before: string, chatId: string) => readonly [name: string, input: JsonValue];

interface Played extends AsyncDisposable {
  readonly folder: string;
  readonly server: AnyServer;
  /** Runs these calls in a new chat, one after another. Returns its id and their results. */
  play(...steps: readonly Step[]): Promise<{ chatId: string; results: readonly string[] }>;
}

async function played(config: Record<string, JsonValue>): Promise<Played> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'truecast-workspaces-')));
  let steps: readonly Step[] = [];
  let results: string[] = [];
  const script = ({ userText, toolResults, lastToolResult }: ScriptedTurn): ScriptedReply => {
    // A child receives its only call in its prompt.
    if (userText.startsWith('{')) {
      const { name, input } = z.object({ name: z.string(), input: z.json() }).parse(JSON.parse(userText));
      return lastToolResult === undefined ? reply.tool(name, input) : reply.text(lastToolResult.text);
    }
    results = [...results, ...toolResults.map(({ text }) => text)];
    const step = steps[results.length];
    return step === undefined ? reply.text('Done.') : reply.tool(...step(results.at(-1) ?? '', ''));
  };
  const model = await scriptedModelServer({ script });
  const all = { models: ['local:scripted'], subagents: true, ...config };
  await writeFile(join(folder, 'truecast.config.ts'), `export default ${JSON.stringify(all)};\n`);
  const server = await serveBeside(folder, [], { TRUECAST_BASE_URL: model.openaiUrl });
  return {
    folder,
    server,
    play: async (...asked) => {
      steps = asked;
      results = [];
      const { chat } = z
        .object({ chat: z.object({ id: z.string() }) })
        .parse(await server.ask('/api/chats', { content: 'Work' }));
      const status = async (): Promise<string> =>
        statusSchema.parse(await server.ask(`/api/chats/${chat.id}`)).status;
      await expect.poll(status, { timeout: 90_000, interval: 100 }).toBe('waiting');
      return { chatId: chat.id, results };
    },
    [Symbol.asyncDispose]: async () => {
      await server.end('SIGTERM');
      await model.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const write =
  (path: string, text: string): Step =>
  () => ['write_file', { path, text }];
const read =
  (path: string): Step =>
  () => ['read_file', { path }];
const runs =
  (command: string): Step =>
  () => ['run_command', { command }];

/** Rows are sandboxes. The isolation of chats is tried in each that isolates. */
const MATRIX = { rows: 3, stride: 2 };

/** Declares the tests of a sandbox. They share a server, and each has chats of its own. */
function declare(row: number, config: { readonly workspace: Record<string, JsonValue> }): void {
  let at: Played;
  beforeAll(async () => {
    at = await played(config);
  });
  afterAll(() => at[Symbol.asyncDispose]());
  const itInMatrix = matrixRow(row, MATRIX);

  itInMatrix('files and commands work in a turn, and the files stand in the folder of the chat', async () => {
    const { chatId, results } = await at.play(
      write('notes/a.txt', 'one\n'),
      runs('cat notes/a.txt && echo two >> notes/a.txt'),
      read('notes/a.txt'),
      read('../../server.json'),
      read(join(stateFolderOf(at.folder), 'server.json')),
      runs('exit 3'),
    );
    expect(outputSchema.parse(JSON.parse(results[1] ?? ''))).toMatchObject({
      exit_code: 0,
      stdout: 'one\n',
    });
    expect(results[2]).toBe('one\ntwo\n');
    expect(results[3]).toContain('Expected a path');
    expect(results[4]).toContain('leads out');
    expect(results[5]).toContain('"exit_code":3');
    expect(await readFile(join(at.folder, '.truecast/workspaces', chatId, 'notes/a.txt'), 'utf8')).toBe(
      'one\ntwo\n',
    );
  });

  itInMatrix('a subagent works in the workspace of its parent', async () => {
    const call = { name: 'run_command', input: { command: 'cat a.txt && echo child > b.txt' } };
    const { results } = await at.play(
      write('a.txt', 'of the parent'),
      () => ['spawn_agent', { prompt: JSON.stringify(call) }],
      (before) => ['wait_agent', { chat_id: /[0-9a-f-]{36}/u.exec(before)?.[0] ?? '' }],
      read('b.txt'),
    );
    expect(results[2]).toContain('of the parent');
    expect(results[3]).toBe('child\n');
  });

  if (config.workspace['sandbox'] === 'none') return;
  it('a chat sees no folder of another, and not the token of the server', async () => {
    const { chatId } = await at.play(write('secret.txt', 'a secret'));
    const place = join(at.folder, '.truecast');
    const { results } = await at.play(
      runs(
        `cat ../${chatId}/secret.txt; cat ${place}/workspaces/${chatId}/secret.txt; cat ${stateFolderOf(at.folder)}/server.json; ls ..`,
      ),
    );
    const { stdout } = outputSchema.parse(JSON.parse(results[0] ?? ''));
    expect(stdout).not.toContain('secret');
    expect(stdout).not.toContain(chatId);
    expect(stdout).not.toContain('tc_');
  });
}

// In the short form, `serve-config.test.ts` works in a workspace without a sandbox.
if (FORM === 'whole') {
  describe('a workspace without a sandbox', () => {
    declare(0, { workspace: { sandbox: 'none' } });
  });
}

describeInBubblewrap('a workspace in bubblewrap', () => {
  declare(1, { workspace: { sandbox: 'bubblewrap' } });
});

describeWithEngine('podman', 'a workspace in podman', () => {
  declare(2, { workspace: { sandbox: 'podman', imageName: TEST_IMAGE } });
});
