/**
 * A list of typed elements, each used as soon as the model has written it. Set the server with
 * TRUECAST_BASE_URL and TRUECAST_MODEL.
 */
import assert from 'node:assert/strict';
import { generate, openAICompatible, Output, StructuredOutputError } from 'truecast';
import { z } from 'zod';

const NOTES = 'Ann orders rope by Friday. Ben paints the boat. Both check the lamps.';

const answer = generate({
  model: openAICompatible({
    baseURL: process.env['TRUECAST_BASE_URL'] ?? 'http://localhost:11434/v1',
    model: process.env['TRUECAST_MODEL'] ?? 'qwen3:8b',
  }),
  prompt: `List the tasks in these notes, one for each person: ${NOTES}`,
  output: Output.array({ element: z.object({ who: z.enum(['Ann', 'Ben']), task: z.string() }) }),
});

const started: string[] = [];
try {
  for await (const { who, task } of answer.elements) {
    started.push(task);
    console.log(`${who}: ${task}`);
  }
} catch (error) {
  if (!StructuredOutputError.isInstance(error) || error.code !== 'restarted') throw error;
  console.log('The model changed a task. Only the whole list counts.');
  started.splice(0, started.length, ...(await answer).output.map(({ task }) => task));
}

const { output, provenance } = await answer;
assert.deepEqual(
  output.map(({ task }) => task),
  started,
);
console.log(`${output.length} tasks, asked ${provenance.attempts.length} times`);
