/** Sample of the landing page: a question to the chat server that `truecast serve` starts. */
import { createClient, Output } from '@truecast/client';
import { z } from 'zod';

const token = process.env['TRUECAST_TOKEN'] ?? '';
const client = createClient({ baseURL: 'http://127.0.0.1:4747', token });

const { output, receipt } = await client.chat().ask({
  prompt: 'Which file has the bug?',
  output: Output.object({
    schema: z.object({ file: z.string(), line: z.number() }),
  }),
});
console.log(output.file, receipt.usage?.cost_usd);
