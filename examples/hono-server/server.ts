/**
 * A chat server inside of a Hono app, and a route of the app that asks it for a typed answer. Without a key
 * or a model of your own, a scripted model answers.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createClient, Output, RequestEndedError } from '@truecast/client';
import { createChatServer } from '@truecast/server';
import { Hono } from 'hono';
import { z } from 'zod';

// `databaseUrl: 'chats.sqlite'` keeps the chats
await using chats = await createChatServer({ listen: false, databaseUrl: ':memory:' });
const { token } = await chats.createToken({ name: 'app' });

// The app asks its own server without a port. Other clients use `/ai` below.
const client = createClient({
  baseURL: 'http://127.0.0.1',
  token,
  fetch: (input, init) => chats.fetch(new Request(input, init)),
});
const output = Output.object({
  schema: z.object({ team: z.enum(['refund', 'resend', 'other']), urgent: z.boolean() }),
});

const app = new Hono();
app.mount('/ai', chats.fetch);
app.post('/letters', async (context) => {
  const prompt = `Which team answers this letter?\n\n${await context.req.text()}`;
  try {
    const { output: letter } = await client.chat().ask({ prompt, output });
    return context.json(letter);
  } catch (error) {
    if (!RequestEndedError.isInstance(error)) throw error;
    return context.json({ error: error.code }, 502);
  }
});

const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 0), hostname: '127.0.0.1' });
await once(server, 'listening');
const address = server.address();
assert.ok(typeof address === 'object' && address !== null);
const url = `http://127.0.0.1:${address.port}`;

// A page of the app would send this request
const response = await fetch(`${url}/letters`, { method: 'POST', body: 'My parcel never came.' });
assert.equal(response.status, 200);
console.log(await response.json());

// Clients of the chat API, with a token
const whole = await fetch(`${url}/ai/api/chats`, { headers: { authorization: `Bearer ${token}` } });
const stored = z.object({ chats: z.array(z.unknown()) }).parse(await whole.json());
console.log(`${stored.chats.length} chat is stored`);
server.close();
