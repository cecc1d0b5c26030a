/**
 * Extraction with a local model: the lines and the total of an invoice, as numbers that add up. Set the
 * server with TRUECAST_BASE_URL and TRUECAST_MODEL, and pass a text file, or none for a sample.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { generate, openAICompatible, Output } from 'truecast';
import { z } from 'zod';

const SAMPLE = `Harbour Supplies, invoice 4711 of 3 March 2026
2 coils of rope at 12.50     25.00
1 lantern                    40.00
to pay, EUR                  65.00`;

const path = process.argv[2];
const text = path === undefined ? SAMPLE : await readFile(path, 'utf8');

const cents = z.int().nonnegative();
const invoice = z
  .object({
    number: z.string(),
    date: z.iso.date(),
    currency: z.enum(['EUR', 'USD']),
    lines: z.array(z.object({ what: z.string(), cents })).min(1),
    totalCents: cents,
  })
  .refine(({ lines, totalCents }) => lines.reduce((sum, line) => sum + line.cents, 0) === totalCents, {
    path: ['totalCents'],
    error: 'is not the sum of the lines',
  });

const { output, provenance, usage } = await generate({
  model: openAICompatible({
    baseURL: process.env['TRUECAST_BASE_URL'] ?? 'http://localhost:11434/v1',
    model: process.env['TRUECAST_MODEL'] ?? 'qwen3:8b',
  }),
  instructions: 'You read invoices. Amounts are in cents, dates are YYYY-MM-DD.',
  prompt: text,
  output: Output.object({ schema: invoice }),
  maxCorrections: 3,
  lenient: true, // a small model adds a sentence
  budget: { tokens: 20_000 },
});

assert.equal(
  output.lines.reduce((sum, line) => sum + line.cents, 0),
  output.totalCents,
);
console.log(`${output.number} of ${output.date}: ${output.totalCents / 100} ${output.currency}`);
for (const { what, cents: amount } of output.lines) console.log(`- ${what}: ${amount / 100}`);
console.log(`asked ${provenance.attempts.length} times, ${usage?.outputTokens ?? 'unknown'} tokens written`);
