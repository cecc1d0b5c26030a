/** Sample of the landing page: one call of a model on this machine, and one validated answer. */
import { generate, openAICompatible, Output } from 'truecast';
import { z } from 'zod';

const { output, usage } = await generate({
  model: openAICompatible({ baseURL: 'http://127.0.0.1:11434/v1', model: 'qwen3:8b' }),
  prompt: 'My parcel never came, and I leave tomorrow.',
  output: Output.object({
    schema: z.object({ team: z.enum(['refund', 'resend']), urgent: z.boolean() }),
  }),
});
console.log(output.team, output.urgent, usage?.outputTokens);
