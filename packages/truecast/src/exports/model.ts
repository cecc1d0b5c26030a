/** Exports of `truecast/model`. */
export { ModelError, boundedFetch, generate, openAICompatible, streamGenerate } from '@truecast/model';
export type {
  GenerateBudget,
  GenerateCall,
  GenerateMessage,
  GenerateModel,
  GenerateOptions,
  GenerateResult,
  GenerateRoute,
  GenerateStream,
  ModelErrorCode,
  ModelErrorOptions,
  ModelSettings,
  OpenAICompatibleOptions,
  Prices,
} from '@truecast/model';
