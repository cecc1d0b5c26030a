/** Request fields that a model service names in a rejection. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/**
 * Fields of the services' requests, normalized. Without the prompt: OpenAI names `messages` if they
 * do not fit to another field. Proxies also send other text as `param`, such as `None`.
 */
const KNOWN =
  /^(?:model|instructions|contents|systeminstruction|tools|toolchoice|toolconfig|paralleltoolcalls|functions?|functioncall|responseformat|text|outputformat|outputconfig|generationconfig|temperature|top[pk]|seed|stop|max\w*tokens|reasoning\w*|thinking\w*|stream\w*)(?![a-z])/u;

/** A part of a request that selects a way to a typed answer. */
export type RequestFeature = 'schema' | 'tool' | 'choice';

const FEATURES: Readonly<Record<RequestFeature, RegExp>> = {
  schema: /^(?:responseformat|text\.format|outputformat|outputconfig|generationconfig\.response)/u,
  tool: /^(?:tools|toolchoice|toolconfig|functions?|functioncall)(?![a-z])/u,
  choice: /^(?:toolchoice|toolconfig|functioncall)(?![a-z])/u,
};

/** Data of a rejection: no message text. */
export interface Rejection {
  /** Fields in lowercase without `_`, such as `tools[0].type`. Empty if the service names none. */
  readonly fields: readonly string[];
  readonly code?: string;
}

/**
 * Reads the named fields: `error.param` of OpenAI, `fieldViolations` of Google. Anthropic and most
 * local servers name none.
 */
export function readRejection(error: unknown): Rejection {
  const text = error instanceof Error && 'responseBody' in error ? error.responseBody : undefined;
  const body = parseJson(typeof text === 'string' ? text : '');
  const told: unknown = body.success && isRecord(body.value) ? body.value['error'] : undefined;
  if (!isRecord(told)) return { fields: [] };
  const { param, code, details } = told;
  const named = [param, ...violationsOf(details)].flatMap((field) =>
    typeof field === 'string' ? [normalize(field)] : [],
  );
  return {
    fields: named.filter((field) => KNOWN.test(field)),
    ...(typeof code === 'string' && { code }),
  };
}

export function namesFeature({ fields }: Rejection, feature: RequestFeature): boolean {
  return fields.some((field) => FEATURES[feature].test(field));
}

function violationsOf(details: unknown): readonly unknown[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: unknown): unknown[] => {
    const violations = isRecord(detail) ? detail['fieldViolations'] : undefined;
    return Array.isArray(violations)
      ? violations.map((each: unknown) => isRecord(each) && each['field'])
      : [];
  });
}

function normalize(field: string): string {
  return field
    .toLowerCase()
    .replaceAll('_', '')
    .replace(/^request\./u, '');
}
