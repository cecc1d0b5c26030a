/** Owns which routes a model supports: what it says of itself, and what its replies have taught. */
import type { GenerateModel, GenerateRoute } from './generate-options.ts';

const BEST_FIRST: readonly GenerateRoute[] = ['native', 'tool', 'json'];

/** What was learnt, for as long as the model's object lives: another object of the same name may be another server. */
const unsupported = new WeakMap<GenerateModel, Set<GenerateRoute>>();

/** The routes that are worth a request, best first; never empty. */
export function supportedRoutes(model: GenerateModel): readonly GenerateRoute[] {
  // A model that says so of itself would drop the schema silently.
  const hasNoSchemaMode = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false;
  const learnt = unsupported.get(model);
  return BEST_FIRST.filter(
    (route) => route === 'json' || (learnt?.has(route) !== true && !(route === 'native' && hasNoSchemaMode)),
  );
}

/** Remembers that a model has not this route. */
export function rememberUnsupported(model: GenerateModel, route: GenerateRoute): void {
  unsupported.set(model, new Set([...(unsupported.get(model) ?? []), route]));
}

const REFUSING_STATUS: readonly unknown[] = [400, 404, 405, 415, 422, 501];
const FEATURES: Readonly<Record<GenerateRoute, RegExp>> = {
  native:
    /response[_ ]?format|json[_ ]?schema|structured[_ ]?output|output[_ ]?(?:config|format)|text\.format|response_?(?:json_?)?schema|mime ?type|json mode/iu,
  tool: /tool|function/iu,
  json: /(?!)/u,
  tag: /(?!)/u,
};
const REFUSAL =
  /support|not (?:available|allowed|enabled|implemented|permitted)|unknown|unrecogni[sz]ed|unexpected|extra inputs/iu;

/** Tells what a failed request says of its route: the model has none of it, it does not take this schema, or nothing. */
export function refusalOf(error: unknown, route: GenerateRoute): 'unsupported' | 'schema' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AI_UnsupportedFunctionalityError') return 'unsupported';
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const said = `${error.message} ${body}`;
  if (!REFUSING_STATUS.includes(statusCode) || !FEATURES[route].test(said)) return undefined;
  if (/invalid schema|schema is invalid|invalid_json_schema/iu.test(said)) return 'schema';
  return REFUSAL.test(said) ? 'unsupported' : undefined;
}
