/** Type of an answer or its failure, as data. Pure. */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import type { Provenance } from './provenance.ts';

/** A valid answer and how it was obtained, or why it is missing. */
export type SafeExtractResult<TOutput> =
  | { readonly success: true; readonly value: TOutput; readonly provenance: Provenance }
  | { readonly success: false; readonly error: StructuredOutputError };
