/** Verdict on one call of the finalizer, from its unchanged arguments. Pure. */
import type { AnyOutputDefinition } from '../definition/definition.ts';
import type { Provenance } from '../definition/provenance.ts';
import type { SafeExtractResult } from '../definition/safe-extract-result.ts';
import { judgeFor } from '../judge/drive.ts';
import { judgeCallReply } from '../judge/judge-reply.ts';
import { rulesFor } from '../judge/rules-for.ts';
import { screenArguments, type FinalizerLimits } from './screen-arguments.ts';

/** Options of the validation. */
export interface JudgeOptions {
  readonly limits: FinalizerLimits;
  readonly route: Extract<Provenance['route'], 'mcp' | 'tool'>;
}

/**
 * Validates the arguments of one call. Never rejects: an error becomes a failure that can be
 * described to the caller.
 */
export function judgeSubmission(
  text: string,
  definition: AnyOutputDefinition,
  { limits, route }: JudgeOptions,
): Promise<SafeExtractResult<unknown>> {
  const { maxBytes } = limits;
  const rules = {
    ...rulesFor(definition),
    maxBytes,
    screen: (argumentsText: string) => screenArguments(argumentsText, limits),
  };
  return judgeFor(judgeCallReply({ text: '', submissions: [{ text }] }, rules), definition, {
    route,
    maxBytes,
  });
}
