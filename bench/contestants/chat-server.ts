/**
 * Model server of the benches of model calls: one fixed Chat Completions reply, from a separate
 * thread.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { workerData } from 'node:worker_threads';

const reply = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'fixed',
    choices: [
      { index: 0, message: { role: 'assistant', content: String(workerData) }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }),
);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.setHeader('content-type', 'application/json').end(reply));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo; // A listening TCP server has one.
console.log(`http://127.0.0.1:${port}/v1`);
