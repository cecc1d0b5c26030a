/**
 * Model server of the benches of model calls: one fixed Chat Completions reply, from a separate
 * thread. With `isStreamed`, a request for a stream gets one.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { workerData } from 'node:worker_threads';

const { answer, isStreamed } = workerData as { readonly answer: string; readonly isStreamed: boolean }; // From the bench.
const head = { id: 'chatcmpl-1', created: 1, model: 'fixed' };
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const choice = (member: 'message' | 'delta', said: object, reason: string | null): object => ({
  choices: [{ index: 0, [member]: said, finish_reason: reason }],
});

const reply = Buffer.from(
  JSON.stringify({
    ...head,
    object: 'chat.completion',
    ...choice('message', { role: 'assistant', content: answer }, 'stop'),
    usage,
  }),
);

const CHARS_PER_CHUNK = 5;
const chunks = [
  ...Array.from({ length: Math.ceil(answer.length / CHARS_PER_CHUNK) }, (_, index) =>
    choice('delta', { content: answer.slice(index * CHARS_PER_CHUNK, (index + 1) * CHARS_PER_CHUNK) }, null),
  ),
  choice('delta', {}, 'stop'),
  { choices: [], usage },
].map((chunk) => JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk }));
const streamed = Buffer.from([...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));

const server = createServer((request, response) => {
  void request.toArray().then((pieces: Buffer[]) => {
    const isStream = isStreamed && Buffer.concat(pieces).includes('"stream":true');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(isStream ? streamed : reply);
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo; // A listening TCP server has one.
console.log(`http://127.0.0.1:${port}/v1`);
