/**
 * Refusals: whether a service's error is about the step of the ladder that the request used, and how
 * far it reaches. Pure.
 *
 * A named field and a code decide. Else the message is read for what the error is about: a key, a
 * quota, the window or a model is never a reason for another step.
 */
import { namesFeature, readRejection, type Rejection, type RequestFeature } from './rejected-fields.ts';
import { familyOf, type Droppable, type LadderStep } from './ladder.ts';

/**
 * `step`: the engine lacks what `drops` lists. `schema`: it refuses this schema. `lengths`: it refuses
 * the lengths of strings. `doubt`: no reason is known, so that the next step shows whether it was the
 * reason.
 */
export type StepRefusal =
  | { readonly type: 'step'; readonly drops: readonly Droppable[] }
  | { readonly type: 'schema' | 'lengths' | 'doubt' };

/** Statuses that can be about the form of a request. Old servers send 500 for what they do not know. */
const REFUSING: readonly unknown[] = [400, 403, 404, 405, 415, 422, 500, 501];
/** Statuses that are about the form of a request, if nothing else is known. */
const FORMAL: readonly unknown[] = [400, 415, 422];

/** Reads a failed request. Undefined if the error is about something else than the step. */
export function readRefusal(error: unknown, step: LadderStep): StepRefusal | undefined {
  // Telling the schema in words needs nothing of the service.
  if (!(error instanceof Error) || step === 'text') return undefined;
  if (error.name === 'AI_UnsupportedFunctionalityError') return { type: 'step', drops: familyOf(step) };
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  if (!REFUSING.includes(statusCode)) return undefined;
  const rejection = readRejection(error);
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const said = `${error.message} ${body}`;
  if (familyOf(step).includes('schema') && LENGTHS.test(said)) return { type: 'lengths' };
  if (rejection.fields.length > 0) {
    return FEATURES[step].some((feature) => namesFeature(rejection, feature))
      ? reachOf(step, said, rejection)
      : undefined;
  }
  const isNamed = WORDS[step].test(said);
  if (isNamed && SCHEMA_REFUSAL.test(said)) return { type: 'schema' };
  if (ELSEWHERE.test(said)) return undefined;
  if (isNamed) return reachOf(step, said, rejection);
  const isDoubtful = statusCode === 500 || (FORMAL.includes(statusCode) && !OTHER_PART.test(said));
  return isDoubtful ? { type: 'doubt' } : undefined;
}

/** Returns true if an error is a refusal whose reason is known. */
export function isKnownRefusal(error: unknown, step: LadderStep): boolean {
  const refusal = readRefusal(error, step);
  return refusal !== undefined && refusal.type !== 'doubt';
}

/** Says whether a refusal is about this schema or about the step. What is unclear is about the schema. */
function reachOf(step: LadderStep, said: string, { code = '', fields }: Rejection): StepRefusal {
  if (SCHEMA_CODES.has(code) || fields.some((field) => IN_SCHEMA.test(field))) return { type: 'schema' };
  const isUnknown = fields.length > 0 && UNKNOWN_CODES.has(code);
  const isChoice = familyOf(step).includes('named') && CHOICE.test(said);
  if (!isUnknown && !isChoice && (SCHEMA_REFUSAL.test(said) || !REFUSAL.test(said))) {
    return { type: 'schema' };
  }
  return { type: 'step', drops: dropsOf(step, said) };
}

function dropsOf(step: LadderStep, said: string): readonly Droppable[] {
  if (step === 'named' || step === 'required') {
    return CHOICE.test(said) ? [step] : [...familyOf(step), 'auto'];
  }
  if (/json[_ ]?(?:schema|object|mode)/iu.test(said)) return [step];
  return /response[_ ]?format/iu.test(said) ? ['schema', 'object', 'json'] : familyOf(step);
}

const TOOL: readonly RequestFeature[] = ['tool', 'choice'];
const FEATURES: Readonly<Record<LadderStep, readonly RequestFeature[]>> = {
  schema: ['schema'],
  object: ['schema'],
  named: TOOL,
  required: TOOL,
  json: ['schema'],
  text: [],
};

const SCHEMA_WORDS =
  /schema|response[_ ]?format|structured[_ ]?output|output[_ ]?(?:config|format)|text\.format|mime ?type|json[_ ]?(?:mode|object)|grammar/iu;
const TOOL_WORDS = /tool|function|grammar|schema/iu;
const WORDS: Readonly<Record<LadderStep, RegExp>> = {
  schema: SCHEMA_WORDS,
  object: SCHEMA_WORDS,
  named: TOOL_WORDS,
  required: TOOL_WORDS,
  json: SCHEMA_WORDS,
  text: /(?!)/u,
};
/** OpenAI's strict mode has no lengths, and can stand behind any address. */
const LENGTHS = /m(?:ax|in)_?length|repetition/iu;
const CHOICE = /tool[_ ]?choice|forces? tool/iu;

/** A key, a quota, a rate, the window, a size or the name of a model. */
const ELSEWHERE =
  /api[_ -]?key|unauthori[sz]ed|authenticat|credential|permission|credit|billing|quota|balance|payment|rate[_ -]?limit|too many requests|context[_ ](?:length|window|size)|context[_ ]?size|prompt is too long|too many tokens|maximum (?:number of )?tokens|out of memory|overloaded|loading model|models?\b[^.]{0,80}\b(?:not found|does not exist|not exist)|(?:unknown|no such|invalid) model\b/iu;
/** Another part of a request: its parameters, pictures and roles. */
const OTHER_PART =
  /(?:unknown|unrecogni[sz]ed|unexpected|unsupported|extra|invalid)\b.{0,24}\b(?:parameter|argument|field|key|input|option)|temperature|top[_ ]?[pk]\b|max[_ ]?(?:completion[_ ]?)?tokens|logprobs|penalty|\bseed\b|stop sequence|image|picture|vision|audio|\bfile\b|\brole\b|system (?:message|prompt)/iu;

const REFUSAL =
  /support|not (?:available|allowed|enabled|implemented|permitted)|unknown|unrecogni[sz]ed|unexpected|extra inputs|requires? --|(?:must|should) (?:be|contain)|may not be|invalid tool/iu;
const SCHEMA_REFUSAL =
  /invalid schema|schema is invalid|invalid_json_schema|(?:pars|compil)\w* grammar|schema conversion failed|grammar is too large|too many (?:optional parameters|parameters with union types)|schema is too complex/iu;

const UNKNOWN_CODES: ReadonlySet<string> = new Set([
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
]);
const SCHEMA_CODES: ReadonlySet<string> = new Set(['invalid_json_schema', 'invalid_function_parameters']);
/** A field inside of a schema. */
const IN_SCHEMA = /(?:schema|parameters)[.[]/u;
