/** Lenient parser for a model's text and for the text of a failed call. Pure. */
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import type { ParsedAgentOutput } from '@truecast/core/internal/event-contract/event-result';
import { parseAgentOutput } from '@truecast/core/internal/event-contract/parse-agent-output';

/** Parses text as an event of the contract, without extra fields. */
export function readWords(
  text: string,
  { allowedKinds, extraFields = [], maxTextChars }: EventContractOptions,
): ParsedAgentOutput {
  const limit = maxTextChars === undefined ? {} : { maxTextChars };
  return parseAgentOutput(text, {
    allowedKinds,
    fallbackKind: allowedKinds[0] ?? '',
    extraFields,
    ...limit,
  });
}
