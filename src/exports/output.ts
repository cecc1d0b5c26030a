/** Exports of `truecast/output`: the core. Bundles for a browser. */
export type { Attempt } from '../errors/base/attempt.ts';
export type { Issue } from '../errors/base/issue.ts';
export { StructuredOutputError } from '../errors/structured-output-error.ts';
export type {
  StructuredOutputErrorCode,
  StructuredOutputErrorOptions,
} from '../errors/structured-output-error.ts';
export { TruecastError } from '../errors/base/truecast-error.ts';
export { UsageError } from '../errors/usage-error.ts';
export type { DeepPartial } from '../output/definition/deep-partial.ts';
export type {
  AnyOutputDefinition,
  InferOutput,
  OutputArrayDefinition,
  OutputCheckContext,
  OutputChoiceDefinition,
  OutputDefinition,
  OutputJsonDefinition,
  OutputObjectDefinition,
  OutputOptions,
  OutputStringDefinition,
  Via,
} from '../output/definition/definition.ts';
export { describeFailure } from '../output/validate/describe-failure.ts';
export type { DescribeFailureOptions } from '../output/validate/describe-failure.ts';
export { extractOutput, safeExtractOutput } from '../output/extract-output.ts';
export { Output } from '../output/output.ts';
export type { OutputHelpers } from '../output/output.ts';
export type { Provenance, Repair, Route } from '../output/definition/provenance.ts';
export type { SafeExtractResult } from '../output/definition/safe-extract-result.ts';
export { createTagScanner } from '../output/tag-scanner.ts';
export type { PartialOutput, TagScanner } from '../output/tag-scanner.ts';
