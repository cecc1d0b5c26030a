/**
 * Process on a small disk, which `bwrap` mounts at the first argument: prints the status of `/readyz`
 * and of a message of 200 KB while the disk has room, is nearly full, and has room again.
 */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';

const [folder = ''] = process.argv.slice(2);
const FILLING = join(folder, 'filling');
/** Left on the nearly full disk: enough for a row, too little for messages. */
const LEFT_BYTES = 300_000;
/** Longer than the result of one check is used. */
const CHECK_MS = 1_100;

const server = await createChatServer({
  databaseUrl: join(folder, 'chats.sqlite'),
  port: 0,
  environment: { TRUECAST_BASE_URL: 'http://127.0.0.1:9/v1', TRUECAST_MODEL: 'none' },
});
const { token } = await server.createToken({ name: 'test' });

async function look(): Promise<readonly number[]> {
  await new Promise((resolve) => {
    setTimeout(resolve, CHECK_MS);
  });
  const ready = await fetch(`${server.url}/readyz`);
  const sent = await fetch(`${server.url}/api/chats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'x'.repeat(200_000) }),
  });
  return [ready.status, sent.status];
}

const before = await look();
const { bavail, bsize } = statfsSync(folder);
writeFileSync(FILLING, Buffer.alloc(bavail * bsize - LEFT_BYTES));
const full = [await look(), await look(), await look()];
rmSync(FILLING);
const after = await look();
process.stdout.write(JSON.stringify({ before, full, after }));
process.exit(0);
