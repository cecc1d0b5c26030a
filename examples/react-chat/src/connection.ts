/** Connection of the page: server and chat from its address, the token from the fragment. */
import { createClient, Output, type Client } from '@truecast/client';
import { z } from 'zod';

// Zod compiles parsers with `new Function`, which a strict Content Security Policy blocks.
z.config({ jitless: true });

const address = new URL(location.href);

/** Id of the chat. It stays in the address, so a reload finds the chat. */
export const chatId: string = address.searchParams.get('chat') ?? crypto.randomUUID();
address.searchParams.set('chat', chatId);
history.replaceState(null, '', address);

/** A public page must not have a token: use a route handler there. */
export const client: Client = createClient({
  baseURL: address.searchParams.get('server') ?? 'http://127.0.0.1:4747',
  token: address.hash.replace('#token=', ''),
});

export const bug = z.object({ file: z.string(), line: z.number() });
export const output = Output.object({ schema: bug });

/** Tools that the page runs. */
export const tools = {
  look: { description: 'Reads a file.', inputSchema: z.object({ path: z.string() }) },
};
