import { describe, expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { scriptedModelServer } from './scripted-model-server.ts';
import { reply } from './turn/scripted-reply.ts';
import { shellOutput } from './turn/shell-tools.ts';
import {
  anthropicBody,
  type JsonRecord,
  postAnthropic,
  postResponses,
  responsesBody,
  startScripted,
} from './test-client.ts';

const STREAM = { stream: true };

function textOf(body: JsonRecord): unknown {
  return (body['content'] as readonly JsonRecord[])[0]?.['text'];
}

describe('a script', () => {
  test('answers from what was posted', async () => {
    await using server = await startScripted((turn) => reply.text(`You said ${turn.userText}.`));

    expect(textOf((await postAnthropic(server, anthropicBody())).body)).toBe('You said Hi.');
  });

  test('may be a list of replies and functions, one for each call', async () => {
    await using server = await startScripted([
      reply.text('one'),
      (turn) => reply.text(`${turn.turnIndex + 1}`),
    ]);
    const first = await postAnthropic(server, anthropicBody());
    const second = await postAnthropic(server, anthropicBody());

    expect([textOf(first.body), textOf(second.body)]).toEqual(['one', '2']);
  });

  test('that is used up is a failure, and 500', async () => {
    await using server = await startScripted([]);
    const answer = await postAnthropic(server, anthropicBody());

    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.body).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(server.failures).toEqual([expect.any(UsageError)]);
  });

  test('that throws is a failure with the exception, and 500', async () => {
    const thrown = new TypeError('broken');
    await using server = await startScripted(() => {
      throw thrown;
    });
    const answer = await postResponses(server, responsesBody());

    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({
      error: { type: 'server_error', message: 'The script failed: broken' },
    });
    expect(server.failures).toEqual([thrown]);
  });

  test('that wants a shell of a client without one is a failure', async () => {
    await using server = await startScripted(() => reply.shell('ls'));
    const answer = await postAnthropic(server, anthropicBody({ tools: [] }));

    expect(answer.status).toBe(500);
    expect(String(server.failures[0])).toContain('offers no known shell tool');
  });
});

describe('a reply', () => {
  test.each([
    [401, 'authentication_error', 'invalid_api_key'],
    [429, 'rate_limit_error', 'rate_limit_exceeded'],
    [529, 'overloaded_error', null],
  ])('of an error has the status %i and the message format of the wire', async (status, type, code) => {
    await using server = await startScripted(() =>
      reply.error(status, { message: 'No.', retryAfterSeconds: 3 }),
    );
    const anthropic = await postAnthropic(server, anthropicBody(STREAM));
    const responses = await postResponses(server, responsesBody(STREAM));

    expect([anthropic.status, responses.status]).toEqual([status, status]);
    expect(anthropic.body).toMatchObject({ error: { type, message: 'No.' } });
    expect(responses.body).toMatchObject({ error: { code, message: 'No.' } });
    expect(anthropic.headers.get('retry-after')).toBe('3');
    expect(responses.headers.get('retry-after')).toBe('3');
  });

  test('that is cut sends so many events and drops the connection', async () => {
    await using server = await startScripted(() => reply.cut({ afterChunks: 3 }, reply.text('abc')));
    const response = await fetch(`${server.openaiUrl}/responses`, {
      method: 'POST',
      body: JSON.stringify(responsesBody(STREAM)),
    });
    const received: string[] = [];
    const reading = (async () => {
      for await (const piece of response.body ?? []) received.push(Buffer.from(piece).toString());
    })();

    await expect(reading).rejects.toThrow(TypeError);
    expect(received.join('').match(/^event: .+$/gmu)).toEqual([
      'event: response.created',
      'event: response.in_progress',
      'event: response.output_item.added',
    ]);
  });

  test('that is cut without streaming sends half of a body', async () => {
    await using server = await startScripted(() => reply.cut({ afterChunks: 0 }));

    await expect(postAnthropic(server, anthropicBody())).rejects.toThrow(TypeError);
    expect(server.failures).toEqual([]);
  });

  test('that is delayed ends early when the client hangs up', async () => {
    await using server = await startScripted((turn) => {
      turn.signal.addEventListener('abort', () => aborted.resolve());
      started.resolve();
      return reply.delay(3_600_000, reply.text('late'));
    });
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const client = new AbortController();
    const asking = fetch(`${server.anthropicUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(anthropicBody()),
      signal: client.signal,
    });
    await started.promise;
    client.abort();

    await expect(asking).rejects.toThrow('abort');
    await aborted.promise;
    await server.close();
    expect(server.failures).toEqual([]);
  });

  test('that is delayed is sent after its delay', async () => {
    await using server = await startScripted(() => reply.delay(1, reply.text('late')));

    expect(textOf((await postAnthropic(server, anthropicBody())).body)).toBe('late');
  });

  test('does not cut a surrogate pair in its deltas', async () => {
    await using server = await startScripted(() => reply.text('a👍b', { chunkChars: 1 }));
    const { events } = await postResponses(server, responsesBody(STREAM));
    const deltas = events.filter(({ event }) => event === 'response.output_text.delta');

    expect(deltas.map(({ data }) => data['delta'])).toEqual(['a', '👍', 'b']);
  });
});

describe('a server', () => {
  test('records every request whole, its key too', async () => {
    await using server = await startScripted();
    await postAnthropic(server, anthropicBody(), { 'x-api-key': 'sk-secret' });
    await fetch(`${server.url}/nowhere?x=1`);

    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/messages',
        headers: { 'x-api-key': 'sk-secret' },
        body: JSON.stringify(anthropicBody()),
        wire: 'anthropic-messages',
        turn: { turnIndex: 0 },
        statusCode: 200,
      },
      { method: 'GET', path: '/nowhere?x=1', statusCode: 404 },
    ]);
  });

  test.each([
    ['no key', {}],
    ['another key', { 'x-api-key': 'other', authorization: 'Bearer other' }],
  ])('with a key refuses %s on every wire', async (_title, headers) => {
    await using server = await startScripted(() => reply.text('ok'), 'sk-1');
    const anthropic = await postAnthropic(server, anthropicBody(), headers);
    const responses = await postResponses(server, responsesBody(), headers);

    expect([anthropic.status, responses.status]).toEqual([401, 401]);
    expect(anthropic.body).toMatchObject({ error: { type: 'authentication_error' } });
    expect(responses.body).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(server.turns).toEqual([]);
  });

  test.each([{ 'x-api-key': 'sk-1' }, { authorization: 'Bearer sk-1' }])(
    'accepts its key as %o',
    async (headers) => {
      await using server = await startScripted(() => reply.text('ok'), 'sk-1');

      expect((await postAnthropic(server, anthropicBody(), headers)).status).toBe(200);
    },
  );

  test('frees its port when it is closed, also twice and with a call open', async () => {
    const started = Promise.withResolvers<void>();
    const server = await startScripted(() => {
      started.resolve();
      return reply.delay(3_600_000, reply.text('late'));
    });
    const asking = postAnthropic(server, anthropicBody());
    asking.catch(() => undefined);
    await started.promise;
    await Promise.all([server.close(), server.close()]);

    await expect(asking).rejects.toThrow(TypeError);
    await expect(fetch(server.url)).rejects.toThrow(TypeError);
  });

  test('listens on loopback only', async () => {
    const options = { script: [], host: '0.0.0.0' as '127.0.0.1' }; // what a user without types may pass

    await expect(scriptedModelServer(options)).rejects.toThrow(UsageError);
  });
});

describe('shellOutput', () => {
  test.each([
    ['what Claude Code posts', 'n-1', 'n-1'],
    [
      'what Codex posts',
      'Chunk ID: 1\nProcess exited with code 0\nOutput:\nn-1\nOutput:\nx\n',
      'n-1\nOutput:\nx',
    ],
    ['what Copilot posts', 'n-1\n<shellId: 0 completed with exit code 0>', 'n-1'],
    [
      'what Gemini CLI posts',
      '<untrusted_context>\nOutput: n-1\nn-2\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>',
      'n-1\nn-2',
    ],
    ['lines that only look like a header', 'Total: 1\nn-1', 'Total: 1\nn-1'],
  ])('reads %s', (_title, text, output) => {
    const lastToolResult = { type: 'tool-result', id: '1', name: 'sh', text, isError: false } as const;

    expect(shellOutput({ lastToolResult })).toBe(output);
  });
});
