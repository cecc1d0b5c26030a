/** Exports of `truecast/model`. */
export { generate } from './generate.ts';
export type { GenerateCall, GenerateModel, GenerateOptions, GenerateMode } from './call/generate-options.ts';
export type { GenerateMessage } from './messages/generate-messages.ts';
export type { GenerateTool } from './tools/generate-tool.ts';
export type { ModelSettings } from './call/model-settings.ts';
export type { GeneratePromise, GenerateResult } from './generate-promise.ts';
export { boundedFetch } from './call/model-fetch.ts';
export { openAICompatible } from './open-ai-compatible.ts';
export type { OpenAICompatibleOptions } from './open-ai-compatible.ts';
export { ModelError } from '@truecast/core';
export type { Prices } from '@truecast/core';
