/** Our askers: `generate()` on each step of its ladder. */
import { Output } from '../../../packages/core/src/output/output.ts';
import type { GenerateMode } from '../../../packages/model/src/call/generate-options.ts';
import { generate } from '../../../packages/model/src/generate.ts';
import { openAICompatible } from '../../../packages/model/src/open-ai-compatible.ts';
import type { FormCase } from '../form-cases.ts';
import { MAX_CALLS, MAX_TOKENS, TEMPERATURE, type Asker } from './asker.ts';

/** Replaces the JSON mode of a request. */
const NO_MODE = { response_format: { type: 'text' } } as const;

/** The mode that the model finds, then each one alone. */
export const OUR_ASKERS: readonly Asker[] = [
  ourAsker('auto', '`generate()`', 'auto'),
  ourAsker('native', '`generate()`, schema mode', 'native'),
  ourAsker('tool', '`generate()`, tool', 'tool'),
  ourAsker('json', '`generate()`, JSON mode, once', 'json', { calls: 1 }),
  ourAsker('text', '`generate()`, plain text, once', 'json', { calls: 1, body: NO_MODE }),
  ourAsker('tag', '`generate()`, tag in text', 'tag'),
];

interface AskedWay {
  /** @default MAX_CALLS */
  readonly calls?: number;
  /** Members of each request. */
  readonly body?: NonNullable<Parameters<typeof openAICompatible>[0]['body']>;
}

function ourAsker(
  id: string,
  title: string,
  mode: 'auto' | GenerateMode,
  { calls = MAX_CALLS, body = {} }: AskedWay = {},
): Asker {
  return {
    id,
    title,
    open: ({ url, model: name, apiKey, maxTokens = MAX_TOKENS }) => {
      const server = { baseURL: url, model: name, body, ...(apiKey !== undefined && { apiKey }) };
      const model = openAICompatible(server);
      const ask = async ({ prompt, schema }: FormCase, seed: number): Promise<unknown> => {
        const settings = { model, seed, temperature: TEMPERATURE, maxOutputTokens: maxTokens };
        const options = { ...settings, mode, maxCorrections: calls - 1 };
        if (mode !== 'tag') {
          const { output } = await generate({ ...options, prompt, output: Output.object({ schema }) });
          return output;
        }
        const tagged = Output.object({ schema, tag: 'answer' });
        const told = `${prompt}\n\n${Output.instructions(tagged)}`;
        return (await generate({ ...options, prompt: told, output: tagged })).output;
      };
      return Promise.resolve({ ask });
    },
  };
}
