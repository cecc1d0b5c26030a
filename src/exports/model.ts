/** Exports of `truecast/model`. */
export { ModelError } from '../errors/model-error.ts';
export type { ModelErrorCode, ModelErrorOptions } from '../errors/model-error.ts';
export type { Prices } from '../errors/base/prices.ts';
export { generate } from '../model/generate.ts';
export type { GenerateResult } from '../model/generate.ts';
export type {
  GenerateBudget,
  GenerateCall,
  GenerateMessage,
  GenerateModel,
  GenerateOptions,
  GenerateRoute,
} from '../model/call/generate-options.ts';
export { streamGenerate } from '../model/stream-generate.ts';
export type { GenerateStream } from '../model/stream-generate.ts';
export { openAICompatible } from '../model/open-ai-compatible.ts';
export type { OpenAICompatibleOptions } from '../model/open-ai-compatible.ts';
