/** Tests of `truecast serve` with OpenAI's official client, started as a user starts it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from './cli-fixture.ts';
import { serve } from './serve-fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const City = z.object({ name: z.string(), people: z.int() });

it('answers the official client with validated values, out of the box', async () => {
  await using server = await serve(temporaryFolder());
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token });
  const { data } = await client.models.list();
  const model = data[0]?.id ?? '';
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
  const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-none' });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
});

it('lists the agents of its configuration among the models', async () => {
  const cwd = temporaryFolder();
  const config = "export default { agents: { names: ['claude-code'], sandbox: 'none' } };\n";
  await writeFile(join(cwd, 'truecast.config.ts'), config);
  await using server = await serve(cwd);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.token });
  expect(await client.models.retrieve('agent/claude-code')).toMatchObject({ object: 'model' });
});
