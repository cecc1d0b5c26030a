/**
 * Allowlist of model API endpoints that a proxy forwards with the user's key. All other requests
 * are refused. Pure.
 */

export type ModelWire = 'anthropic' | 'openai' | 'gemini';

export interface ApiEndpoint {
  readonly method: 'GET' | 'POST';
  /** Matches the path below the base URL, without its query. */
  readonly path: RegExp;
  /** True if the service charges for it. */
  readonly isBilled: boolean;
  /**
   * Members of the request that limit the answer's tokens. The service ignores members of other
   * APIs, so they limit nothing here.
   */
  readonly outputKeys: readonly string[];
}

/** Excludes escapes and slashes, because a server could decode them to another path. */
const MODEL = '[A-Za-z0-9._:@-]+';
/** Azure adds the deployment, or `openai/v1`, as a prefix. */
const OPENAI_PREFIX = `(?:/openai)?(?:/deployments/${MODEL})?(?:/v1)?`;

const post = (path: string, ...outputKeys: readonly string[]): ApiEndpoint => ({
  method: 'POST',
  path: exactly(path),
  isBilled: true,
  outputKeys,
});
const free = (method: 'GET' | 'POST', path: string): ApiEndpoint => ({
  method,
  path: exactly(path),
  isBilled: false,
  outputKeys: [],
});

/** Optional, because a base URL can already include the version. */
const ENDPOINTS: Readonly<Record<ModelWire, readonly ApiEndpoint[]>> = {
  anthropic: [
    post('(?:/v1)?/messages', 'max_tokens'),
    free('POST', '(?:/v1)?/messages/count_tokens'),
    free('GET', `(?:/v1)?/models(?:/${MODEL})?`),
    // Claude Code checks whether its service is available.
    free('GET', '/api/hello'),
    free('GET', '/'),
  ],
  openai: [
    post(`${OPENAI_PREFIX}/responses`, 'max_output_tokens'),
    post(`${OPENAI_PREFIX}/responses/compact`),
    post(`${OPENAI_PREFIX}/chat/completions`, 'max_tokens', 'max_completion_tokens'),
    free('GET', `${OPENAI_PREFIX}/models(?:/${MODEL}(?:/${MODEL})?)?`),
  ],
  gemini: [
    post(
      `(?:/v1(?:beta|alpha)?)?/models/${MODEL}:(?:generateContent|streamGenerateContent)`,
      'maxOutputTokens',
      'max_output_tokens',
    ),
    free('POST', `(?:/v1(?:beta|alpha)?)?/models/${MODEL}:countTokens`),
    free('GET', `(?:/v1(?:beta|alpha)?)?/models(?:/${MODEL})?`),
  ],
};

const ALL_WIRES: readonly ModelWire[] = ['anthropic', 'openai', 'gemini'];

/**
 * Finds the endpoint of a request. Returns undefined if the request must be refused.
 *
 * @param wires - allowed APIs; if absent, all of them
 */
export function findModelEndpoint(
  { method, target }: { readonly method: string; readonly target: string },
  wires: readonly ModelWire[] = ALL_WIRES,
): ApiEndpoint | undefined {
  const [path = ''] = target.split('?', 1);
  // HEAD returns a subset of the GET answer.
  const asked = method === 'HEAD' ? 'GET' : method;
  return wires
    .flatMap((wire) => ENDPOINTS[wire])
    .find((endpoint) => endpoint.method === asked && endpoint.path.test(path));
}

function exactly(path: string): RegExp {
  return new RegExp(`^${path}$`, 'u');
}
