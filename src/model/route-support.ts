/** Owns which routes a model supports: what it says of itself, and what its replies have taught. */
import type { GenerateModel, GenerateRoute } from './generate-options.ts';

const BEST_FIRST: readonly GenerateRoute[] = ['native', 'tool', 'json'];

/** What was learnt of one model. */
interface Learnt {
  readonly unsupported: Set<GenerateRoute>;
  readonly proven: Set<GenerateRoute>;
}

/** For as long as the model's object lives: another object of the same name may be another server. */
const learntByModel = new WeakMap<GenerateModel, Learnt>();

function learntOf(model: GenerateModel): Learnt {
  const learnt = learntByModel.get(model) ?? { unsupported: new Set(), proven: new Set() };
  learntByModel.set(model, learnt);
  return learnt;
}

/** The routes that are worth a request, best first; never empty. */
export function supportedRoutes(model: GenerateModel): readonly GenerateRoute[] {
  // A model that says so of itself would drop the schema silently.
  const hasNoSchemaMode = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false;
  const { unsupported } = learntOf(model);
  return BEST_FIRST.filter(
    (route) => route === 'json' || (!unsupported.has(route) && !(route === 'native' && hasNoSchemaMode)),
  );
}

/** Remembers that a model has not this route. */
export function rememberUnsupported(model: GenerateModel, route: GenerateRoute): void {
  learntOf(model).unsupported.add(route);
}

/** Tells whether a model has answered by this route. */
export function isProven(model: GenerateModel, route: GenerateRoute): boolean {
  return learntOf(model).proven.has(route);
}

/** The services that are known to decode under a schema: what they answer against it is a refusal in words. */
const KNOWN_TO_DECODE = /^(?:openai\.|anthropic|google)/u;

/**
 * Learns from an answer, whose code is `ok` or its failure's.
 *
 * A decoder under a schema writes no text that is not JSON. A server that answers so has left the schema unread, which old ones do without a word.
 */
export function rememberAnswer(model: GenerateModel, route: GenerateRoute, code: string): void {
  const isIgnored = route === 'native' && code === 'invalid-json' && !KNOWN_TO_DECODE.test(model.provider);
  if (!isIgnored) learntOf(model).proven.add(route);
  else if (!isProven(model, route)) rememberUnsupported(model, route);
}

const REFUSING_STATUS: readonly unknown[] = [400, 404, 405, 415, 422, 500, 501];
const FEATURES: Readonly<Record<GenerateRoute, RegExp>> = {
  native:
    /response[_ ]?format|json[_ ]?schema|structured[_ ]?output|output[_ ]?(?:config|format)|text\.format|response_?(?:json_?)?schema|mime ?type|json mode|grammar/iu,
  tool: /tool|function|grammar/iu,
  json: /(?!)/u,
  tag: /(?!)/u,
};
const REFUSAL =
  /support|not (?:available|allowed|enabled|implemented|permitted)|unknown|unrecogni[sz]ed|unexpected|extra inputs|requires? --|must (?:be|contain)/iu;
const SCHEMA_REFUSAL =
  /invalid schema|schema is invalid|invalid_json_schema|(?:pars|compil)\w* grammar|schema conversion failed/iu;

/** Tells what a failed request says of its route: the model has none of it, it does not take this schema, or nothing. */
export function refusalOf(error: unknown, route: GenerateRoute): 'unsupported' | 'schema' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AI_UnsupportedFunctionalityError') return 'unsupported';
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const said = `${error.message} ${body}`;
  if (!REFUSING_STATUS.includes(statusCode) || !FEATURES[route].test(said)) return undefined;
  if (SCHEMA_REFUSAL.test(said)) return 'schema';
  return REFUSAL.test(said) ? 'unsupported' : undefined;
}
