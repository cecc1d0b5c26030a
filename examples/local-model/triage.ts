/**
 * Asks a local model for a typed answer. Set the server with TRUECAST_BASE_URL and TRUECAST_MODEL.
 */
import assert from 'node:assert/strict';
import { generate, openAICompatible, Output } from 'truecast';
import { z } from 'zod';

const model = openAICompatible({
  baseURL: process.env['TRUECAST_BASE_URL'] ?? 'http://localhost:11434/v1',
  model: process.env['TRUECAST_MODEL'] ?? 'qwen3:8b',
});

const { output, provenance, usage } = await generate({
  model,
  prompt: 'Triage this issue: the parser crashes on an empty file.',
  output: Output.object({
    schema: z.object({ severity: z.enum(['low', 'medium', 'high']), labels: z.array(z.string()).max(3) }),
  }),
  maxCorrections: 2,
  budget: { tokens: 20_000 },
});

assert.ok(['low', 'medium', 'high'].includes(output.severity));
console.log(`${output.severity}: ${output.labels.join(', ')}`);
console.log(
  `mode ${provenance.mode}, asked ${provenance.attempts.length} times, ${usage?.outputTokens ?? 'unknown'} tokens written`,
);
