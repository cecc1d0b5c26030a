/** Route support per model: declared by the model, or learned from its replies. */
import { COMPATIBLE_PROVIDER } from '../call/model-reply.ts';
import type { GenerateModel, GenerateRoute } from '../call/generate-options.ts';
import { namesFeature, readRejection, type Rejection } from './rejected-fields.ts';

const BEST_FIRST: readonly GenerateRoute[] = ['native', 'tool', 'json'];

/** Learned facts about one model. */
interface Learnt {
  readonly unsupported: Set<GenerateRoute>;
  readonly proven: Set<GenerateRoute>;
  /** Outputs whose schema the schema mode refused. */
  readonly refusedSchemas: WeakSet<object>;
  hasNoJsonMode: boolean;
  hasNoLengths: boolean;
}

/** Kept as long as the model object: another object with the same name can be another server. */
const learntByModel = new WeakMap<GenerateModel, Learnt>();

function learntOf(model: GenerateModel): Learnt {
  const learnt = learntByModel.get(model) ?? {
    unsupported: new Set(),
    proven: new Set(),
    refusedSchemas: new WeakSet(),
    hasNoJsonMode: false,
    hasNoLengths: false,
  };
  learntByModel.set(model, learnt);
  return learnt;
}

/** Viable routes, best first. Never empty. */
export function supportedRoutes(model: GenerateModel, output?: object): readonly GenerateRoute[] {
  // A model that declares no support would silently drop the schema.
  const hasNoSchemaMode = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false;
  const { unsupported, refusedSchemas } = learntOf(model);
  const hasNoNative = hasNoSchemaMode || (output !== undefined && refusedSchemas.has(output));
  return BEST_FIRST.filter(
    (route) => route === 'json' || (!unsupported.has(route) && !(route === 'native' && hasNoNative)),
  );
}

/** Records that the schema mode of a model's service refuses this output's schema. */
export function rememberRefusedSchema(model: GenerateModel, output: object): void {
  learntOf(model).refusedSchemas.add(output);
}

/**
 * Returns true if a refusal without a known reason can be about the schema: each service has its own
 * words for it.
 */
export function canDoubtSchema(route: GenerateRoute, error: unknown): boolean {
  return route === 'native' && error instanceof Error && 'statusCode' in error && error.statusCode === 400;
}

/** Records that a model lacks this route. */
export function rememberUnsupported(model: GenerateModel, route: GenerateRoute): void {
  learntOf(model).unsupported.add(route);
}

/** Returns true if a model has answered by this route. */
export function isProven(model: GenerateModel, route: GenerateRoute): boolean {
  return learntOf(model).proven.has(route);
}

/** Returns true if a model can be asked for JSON without a schema. Anthropic's service cannot. */
export function hasJsonMode(model: GenerateModel): boolean {
  return !learntOf(model).hasNoJsonMode && !model.provider.startsWith('anthropic');
}

/** Records that a model's service rejects the JSON mode. */
export function rememberNoJsonMode(model: GenerateModel): void {
  learntOf(model).hasNoJsonMode = true;
}

/** Returns true if a model's schema can have lengths of strings: any server that did not reject them. */
export function takesLengths(model: GenerateModel): boolean {
  return model.provider === COMPATIBLE_PROVIDER && !learntOf(model).hasNoLengths;
}

/** Records that a model's service rejects lengths of strings. */
export function rememberNoLengths(model: GenerateModel): void {
  learntOf(model).hasNoLengths = true;
}

/**
 * Services known to decode under a schema and to require tools. If a reply deviates, the model
 * caused it.
 */
const KNOWN_TO_OBEY = /^(?:openai\.|anthropic|google)/u;
/**
 * Codes that show an ignored route: constrained decoding cannot produce text that is not JSON, and
 * a required call cannot be missing.
 */
const IGNORED: Readonly<Partial<Record<GenerateRoute, string>>> = {
  native: 'invalid-json',
  tool: 'not-produced',
};

/**
 * Learns from an answer, whose code is `ok` or its failure's. An unproven route that a server
 * ignores, as old versions do silently, becomes unsupported.
 */
export function rememberAnswer(model: GenerateModel, route: GenerateRoute, code: string): void {
  const isIgnored = IGNORED[route] === code && !KNOWN_TO_OBEY.test(model.provider);
  if (!isIgnored) learntOf(model).proven.add(route);
  else if (!isProven(model, route)) rememberUnsupported(model, route);
}

const REFUSING_STATUS: readonly unknown[] = [400, 404, 405, 415, 422, 500, 501];
const FEATURES: Readonly<Record<GenerateRoute, RegExp>> = {
  native:
    /response[_ ]?format|json[_ ]?schema|structured[_ ]?output|output[_ ]?(?:config|format)|text\.format|response_?(?:json_?)?schema|mime ?type|json mode|grammar|schema is too complex/iu,
  tool: /tool|function|grammar/iu,
  json: /(?!)/u,
  tag: /(?!)/u,
};
const REFUSAL =
  /support|not (?:available|allowed|enabled|implemented|permitted)|unknown|unrecogni[sz]ed|unexpected|extra inputs|requires? --|must (?:be|contain)/iu;
const SCHEMA_REFUSAL =
  /invalid schema|schema is invalid|invalid_json_schema|(?:pars|compil)\w* grammar|schema conversion failed|grammar is too large|too many (?:optional parameters|parameters with union types)|schema is too complex/iu;

const UNSUPPORTED_CODES: ReadonlySet<string> = new Set([
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
]);
const SCHEMA_CODES: ReadonlySet<string> = new Set(['invalid_json_schema', 'invalid_function_parameters']);
/** A field inside of a schema. */
const IN_SCHEMA = /(?:schema|parameters)[.[]/u;

/**
 * Classifies a failed request: the model lacks the route, rejects this schema, or neither. A named
 * field and a code decide. The message is read only for services that send neither.
 */
export function refusalOf(error: unknown, route: GenerateRoute): 'unsupported' | 'schema' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AI_UnsupportedFunctionalityError') return 'unsupported';
  const statusCode = 'statusCode' in error ? error.statusCode : undefined;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const said = `${error.message} ${body}`;
  if (!REFUSING_STATUS.includes(statusCode)) return undefined;
  const rejection = readRejection(error);
  if (rejection.fields.length === 0 ? !FEATURES[route].test(said) : !namesRoute(rejection, route))
    return undefined;
  const { fields, code = '' } = rejection;
  if (SCHEMA_CODES.has(code) || fields.some((field) => IN_SCHEMA.test(field))) return 'schema';
  if (fields.length > 0 && UNSUPPORTED_CODES.has(code)) return 'unsupported';
  if (SCHEMA_REFUSAL.test(said)) return 'schema';
  return REFUSAL.test(said) ? 'unsupported' : undefined;
}

function namesRoute(rejection: Rejection, route: GenerateRoute): boolean {
  if (route === 'native') return namesFeature(rejection, 'schema');
  return route === 'tool' && namesFeature(rejection, 'tool');
}
