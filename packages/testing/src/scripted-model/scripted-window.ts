/** Window of an imitated server: how it reports its size, and refuses a longer request. Pure. */
import type { ScriptedWireAnswer, WireError } from './turn/model-wire.ts';
import type { LocalServerName } from './turn/scripted-turn.ts';
import { scriptedTokens } from './turn/settle-message.ts';

interface ImitatedWindow {
  readonly localServer?: LocalServerName;
  readonly contextTokens?: number;
}

/** llama.cpp reports its window at its own path. Undefined for another path or server. */
export function reportedWindow(
  pathname: string,
  { localServer, contextTokens }: ImitatedWindow,
): ScriptedWireAnswer | undefined {
  if (pathname !== '/props' || localServer !== 'llama.cpp' || contextTokens === undefined) return undefined;
  return { statusCode: 200, body: { default_generation_settings: { n_ctx: contextTokens } } };
}

/** Returns the refusal of a body that is too long, or undefined. */
export function refusedLength(
  body: string,
  { localServer, contextTokens = Number.POSITIVE_INFINITY }: ImitatedWindow,
): WireError | undefined {
  const tokens = scriptedTokens(body.length);
  if (tokens <= contextTokens) return undefined;
  if (localServer !== 'llama.cpp') {
    const message = `This model's maximum context length is ${contextTokens} tokens. However, your messages have ${tokens} tokens.`;
    return { statusCode: 400, message, code: 'context_length_exceeded' };
  }
  const message = `request (${tokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`;
  return { statusCode: 400, message, code: 'exceed_context_size_error' };
}
