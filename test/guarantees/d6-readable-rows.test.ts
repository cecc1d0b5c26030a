/** Tests of D6: a row that cannot be read, and a database of a later version. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { z } from 'zod';
import { openLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { runCommand } from './routes/command.ts';
import { FORMAT, startServer } from './routes/server.ts';
import { endUnreadableRun } from './routes/served-runs.ts';

const POLLS = 400;
const chatSchema = z.looseObject({ chats: z.array(z.looseObject({ id: z.string(), status: z.string() })) });
const sentSchema = z.looseObject({ request_id: z.string() });
const requestSchema = z.looseObject({ status: z.string() });

async function endUnreadableTurn(): Promise<void> {
  await using model = await scriptedModelServer({ script: () => reply.text('Hello.') });
  await using server = await startServer({ serviceUrl: model.openaiUrl });
  await server.chat('Hello');
  const [chat] = chatSchema.parse((await server.ask('/api/chats')).json).chats;
  const database = new DatabaseSync(server.databaseUrl);
  database.exec(`update chat_messages set parts = replace(parts, '"text"', '"txt"')`);
  database.close();
  const body = { content: 'How many?', response_format: FORMAT };
  const { request_id: requestId } = sentSchema.parse(
    (await server.ask(`/api/chats/${chat?.id}/messages`, body)).json,
  );
  const path = `/api/chats/${chat?.id}/requests/${requestId}`;
  let status = 'running';
  for (let polls = 0; polls < POLLS && status === 'running'; polls += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
    ({ status } = requestSchema.parse((await server.ask(path)).json));
  }
  expect(status).toBe('failed');
}

/** A database of a later version. */
async function makeLaterDatabase(): Promise<string> {
  const path = join(temporaryFolder(), 'truecast.sqlite');
  await (await openLedger({ url: path, cast: [] })).close();
  const database = new DatabaseSync(path);
  database.exec('update store_format set number = number + 1');
  database.close();
  return path;
}

async function refuseInLibrary(): Promise<void> {
  const url = await makeLaterDatabase();
  await expect(openLedger({ url })).rejects.toMatchObject({ code: 'newer-database' });
}

async function refuseInCommands(): Promise<void> {
  const path = await makeLaterDatabase();
  const cwd = temporaryFolder();
  for (const args of [
    ['token', 'list'],
    ['ensemble', 'run', 'museum-boat', '--turns', '1'],
  ]) {
    const { exitCode, output } = await runCommand({ cwd, args: [...args, '--database-url', path] });
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/newer version/u);
  }
}

declareGuarantee('D6', {
  runs: endUnreadableRun,
  ensemble: refuseInLibrary,
  chat: endUnreadableTurn,
  command: refuseInCommands,
});
