/**
 * OpenAI's client for JavaScript, with `truecast serve` as its service: a typed answer of any model. Set
 * TRUECAST_URL and TRUECAST_TOKEN.
 */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const client = new OpenAI({
  baseURL: `${process.env.TRUECAST_URL ?? 'http://127.0.0.1:4747'}/v1`,
  apiKey: process.env.TRUECAST_TOKEN ?? '',
});
const [model] = (await client.models.list()).data;

const completion = await client.chat.completions.parse({
  model: process.env.TRUECAST_MODEL ?? model.id,
  messages: [{ role: 'user', content: 'Which city is the capital of Norway?' }],
  response_format: zodResponseFormat(z.object({ name: z.string(), people: z.int() }), 'city'),
});
const city = completion.choices[0]?.message.parsed;
assert.ok(Number.isInteger(city?.people));
console.log(JSON.stringify(city));
