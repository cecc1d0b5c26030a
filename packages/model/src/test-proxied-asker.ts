/** Program that asks a model at the address in its argument, and prints the code and the message of the failure. */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { askForText } from './call/ask-for-text.ts';
import { openAICompatible } from './open-ai-compatible.ts';

const model = openAICompatible({ baseURL: process.argv[2] ?? '', model: 'm' });
await askForText({ model, prompt: 'x' }).catch((error: unknown) => {
  if (!ModelError.isInstance(error)) throw error;
  process.stdout.write(`${error.code} ${error.message}\n`);
});
