/**
 * Process that sends messages of one owner with a quota, all at once, when a line arrives on stdin.
 * It writes `ready`, and then the outcomes as JSON. Its argument is the address of the store.
 */
import { once } from 'node:events';
import { ChatStateError } from '../../packages/core/src/errors/chat-state-error.ts';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { message, OWNER } from './test-server.ts';

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url });
const machine = createChatMachine({ store, quotas: { perOwner: { turns: 7 } } });

async function create(): Promise<string> {
  try {
    await machine.createChat({ owner: OWNER, model: 'm', message: message('Go') });
    return 'accepted';
  } catch (error) {
    return ChatStateError.isInstance(error) ? error.code : String(error);
  }
}

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const outcomes = await Promise.all(Array.from({ length: 10 }, create));
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
await store.close();
