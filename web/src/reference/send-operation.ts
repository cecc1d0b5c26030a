/** Sends an operation with the session's token, and reads its response as text. */
import { readToken } from '../session/access-token.ts';
import { watchedFetch } from '../session/connection.ts';
import type { Operation } from './openapi.ts';

/** Contents of a form. */
export interface OperationInput {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The received part of a response. */
export interface OperationResponse {
  readonly status: number;
  readonly text: string;
  readonly durationMs: number;
}

/** Maximum length of the shown text. */
const MAX_CHARS = 100_000;

/** Sends the request. Calls `onChange` with the response, and again with each piece of a stream. */
export async function sendOperation(
  { method, path, parameters, body }: Operation,
  input: OperationInput,
  {
    signal,
    onChange,
  }: { readonly signal: AbortSignal; readonly onChange: (response: OperationResponse) => void },
): Promise<void> {
  const startedMs = performance.now();
  const query = new URLSearchParams();
  const headers = new Headers({ authorization: `Bearer ${readToken() ?? ''}` });
  for (const { name, place } of parameters) {
    const value = input.parameters[name] ?? '';
    if (value !== '' && place === 'query') query.set(name, value);
    if (value !== '' && place === 'header') headers.set(name, value);
  }
  if (body !== undefined) headers.set('content-type', 'application/json');
  const address = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) =>
    encodeURIComponent(input.parameters[name] ?? ''),
  );
  const response = await watchedFetch(`${address}${query.size === 0 ? '' : `?${query.toString()}`}`, {
    method,
    headers,
    signal,
    ...(body !== undefined && { body: input.body }),
  });
  let text = '';
  const report = (): void =>
    onChange({
      status: response.status,
      text: text.slice(0, MAX_CHARS),
      durationMs: performance.now() - startedMs,
    });
  report();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return;
    text += piece.value;
    report();
  }
}

export function pathParameters(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/gu), ([, name = '']) => name);
}
