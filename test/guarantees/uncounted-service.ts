/** Model service that reports no usage: Chat Completions, whole and streamed. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';

/** A running service. */
export interface UncountedService extends AsyncDisposable {
  /** Address up to `/v1`. */
  readonly url: string;
  /** Questions to the model. The one for its window does not count. */
  readonly requests: number;
}

const bodySchema = z.looseObject({ stream: z.boolean().optional() });
const HEAD = { id: 'x', created: 1, model: 'm' } as const;

/** How a service leaves its usage out: without the member, or with zeros. */
export type UsageForm = 'absent' | 'zeros';

/** Starts the service. Each reply is this text. */
export async function startUncountedService(text: string, form: UsageForm): Promise<UncountedService> {
  let requests = 0;
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const usage = form === 'zeros' ? { usage: zeros } : {};
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      // A server asks for the model's window, once. `/api/show` is how Ollama is asked.
      if (request.method !== 'POST' || request.url === '/api/show') return response.writeHead(404).end('{}');
      requests += 1;
      const { stream = false } = bodySchema.parse(JSON.parse(body));
      if (!stream) {
        const message = { role: 'assistant', content: text };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ ...HEAD, object: 'chat.completion', choices, ...usage }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (choice: object, rest: object = {}): string =>
        `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...rest })}\n\n`;
      return response.end(
        `${chunk({ delta: { role: 'assistant', content: text } })}${chunk({ delta: {}, finish_reason: 'stop' }, usage)}data: [DONE]\n\n`,
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
