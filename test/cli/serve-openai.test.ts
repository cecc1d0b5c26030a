/** Tests of `truecast serve` with OpenAI's official client, started as a user starts it. */
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from './cli-fixture.ts';
import { QUESTION, serve } from './serve-fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const City = z.object({ name: z.string(), people: z.int() });

it('answers the official client with validated values, out of the box', async () => {
  await using server = await serve(temporaryFolder());
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token, maxRetries: 0 });
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toEqual(['scripted:demo']);
  const model = data[0]?.id ?? '';
  const { choices } = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'How many?' }],
    response_format: QUESTION.response_format,
  });
  expect(choices[0]?.message.content).toBe('{"answer":42}');
  const completion = await client.chat.completions.parse({
    model,
    messages: [{ role: 'user', content: 'Which city?' }],
    response_format: zodResponseFormat(City, 'city'),
  });
  expect(City.safeParse(completion.choices[0]?.message.parsed).success).toBe(true);
  const stream = client.responses.stream({
    model,
    input: 'Which city?',
    text: { format: zodTextFormat(City, 'city') },
  });
  expect(City.safeParse((await stream.finalResponse()).output_parsed).success).toBe(true);
  await expect(client.models.retrieve('agent/claude-code')).rejects.toMatchObject({ status: 404 });
  const unlisted = client.chat.completions.create({ model: 'openai:gpt-5.4', messages: [] });
  await expect(unlisted).rejects.toMatchObject({ status: expect.any(Number) });
  const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'tc_wrong', maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
});
