/**
 * Rejected search of a provider in a request. Pure.
 *
 * OpenAI names the field in `param`, Google in `fieldViolations`. The message is read only if no
 * field is named: Anthropic sends one type for every rejection, and so do most local servers.
 */
import { readRejection } from '@truecast/model/internal/ladder/rejected-fields';
import { failureFacts } from './failure-facts.ts';

const REJECTED: ReadonlySet<number> = new Set([400, 403, 404, 422]);

/** Returns true if a service rejects the provider-executed search of a request. */
export function isSearchRejected(error: Error): boolean {
  if (!REJECTED.has(failureFacts(error).statusCode ?? 0)) return false;
  const { fields } = readRejection(error);
  if (fields.length > 0) return fields.some((field) => LISTED_TOOL.test(field));
  return SEARCH_WORDS.test(`${error.message} ${String(Reflect.get(error, 'responseBody') ?? '')}`);
}

/** The list of tools, or a tool that is not a function. */
const LISTED_TOOL = /^tools(?:$|\[\d+\](?:$|\.(?:type|googlesearch)))/u;
const SEARCH_WORDS = /(?:web|google)[_ ]?search|hosted tool|tool use with function calling/iu;
