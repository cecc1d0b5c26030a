/**
 * Rejected part of a request: the mechanism of the answer, or the provider's search. Pure.
 *
 * OpenAI names the field in `param`, Google in `fieldViolations`. The message is read only if no
 * field is named: Anthropic sends one type for every rejection, and so do most local servers.
 */
import { namesFeature, readRejection, type Rejection } from '@truecast/model/internal/routes/rejected-fields';
import { refusalOf } from '@truecast/model/internal/routes/route-support';
import type { Mechanism } from '../contract/receipt.ts';
import { failureFacts } from './failure-facts.ts';

const REJECTED: ReadonlySet<number> = new Set([400, 403, 404, 422]);

/** Returns true if a service rejects a mechanism. */
export function isMechanismRejected(error: Error, mechanism: Mechanism): boolean {
  if (mechanism === 'native') return refusalOf(error, 'native') !== undefined;
  if (mechanism === 'required' && isRejected(error, { namesPart: namesChoice, words: CHOICE_WORDS }))
    return true;
  return refusalOf(error, 'tool') === 'unsupported';
}

/** Returns true if a service rejects the provider-executed search of a request. */
export function isSearchRejected(error: Error): boolean {
  return isRejected(error, { namesPart: namesSearch, words: SEARCH_WORDS });
}

interface RequestPart {
  readonly namesPart: (rejection: Rejection) => boolean;
  readonly words: RegExp;
}

function isRejected(error: Error, { namesPart, words }: RequestPart): boolean {
  if (!REJECTED.has(failureFacts(error).statusCode ?? 0)) return false;
  const rejection = readRejection(error);
  if (rejection.fields.length > 0) return namesPart(rejection);
  return words.test(`${error.message} ${String(Reflect.get(error, 'responseBody') ?? '')}`);
}

function namesChoice(rejection: Rejection): boolean {
  return namesFeature(rejection, 'choice');
}

/** The list of tools, or a tool that is not a function. */
function namesSearch({ fields }: Rejection): boolean {
  return fields.some((field) => /^tools(?:$|\[\d+\](?:$|\.(?:type|googlesearch)))/u.test(field));
}

const CHOICE_WORDS = /tool[_ ]?choice|forces? tool/iu;
const SEARCH_WORDS = /(?:web|google)[_ ]?search|hosted tool|tool use with function calling/iu;
