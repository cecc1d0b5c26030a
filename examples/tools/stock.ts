/**
 * A model that looks things up with tools before its typed answer. Set the server with TRUECAST_BASE_URL
 * and TRUECAST_MODEL.
 */
import assert from 'node:assert/strict';
import { tool } from 'ai';
import { generate, openAICompatible, Output } from 'truecast';
import { z } from 'zod';

const STOCK = new Map([
  ['rope', { pieces: 40, soldEachDay: 8 }],
  ['lamp', { pieces: 90, soldEachDay: 3 }],
]);

const model = openAICompatible({
  baseURL: process.env['TRUECAST_BASE_URL'] ?? 'http://localhost:11434/v1',
  model: process.env['TRUECAST_MODEL'] ?? 'qwen3:8b',
});

const { output, steps = [] } = await generate({
  model,
  prompt: 'Which of our articles runs out first, and in how many days?',
  output: Output.object({ schema: z.object({ article: z.string(), days: z.number() }) }),
  tools: {
    // A tool of the AI SDK, unchanged.
    articles: tool({
      description: 'Lists the names of all articles.',
      inputSchema: z.object({}),
      execute: () => [...STOCK.keys()],
    }),
    stock: {
      description: 'Returns the pieces of an article, and how many are sold each day.',
      inputSchema: z.object({ article: z.string() }),
      execute: ({ article }) => STOCK.get(article) ?? `There is no article ${article}.`,
      timeoutMs: 5_000,
    },
  },
  maxSteps: 8,
  onStep: ({ outcome, calls }) => console.log(outcome, calls.map(({ name }) => name).join(', ')),
});

assert.ok(STOCK.has(output.article));
console.log(`${output.article} in ${output.days} days, after ${steps.length} steps`);
