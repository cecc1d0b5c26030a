/** Refusals of the Gemini service for well-formed requests. Pure. */
import type { GeminiContent, GeminiRequest } from './gemini-request.ts';

const FUNCTION_NAME = /^[A-Za-z_][\w.:-]{0,127}$/u;

/** Returns the service's error, or undefined. */
export function geminiRefusal({ contents = [], tools = [] }: GeminiRequest): string | undefined {
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
  return refusedShape(contents) ?? refusedFunctions(tools) ?? refusedCalls(contents);
}

function refusedShape(contents: readonly GeminiContent[]): string | undefined {
  for (const [index, { role, parts = [] }] of contents.entries()) {
    if (role !== undefined && !['user', 'model', 'function'].includes(role)) {
      return 'Please use a valid role: user, model.';
    }
    if (parts.length === 0) {
      return `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`;
    }
  }
  return undefined;
}

function refusedFunctions(tools: NonNullable<GeminiRequest['tools']>): string | undefined {
  const names = new Set<string>();
  for (const [tool, { functionDeclarations = [] }] of tools.entries()) {
    for (const [index, { name = '' }] of functionDeclarations.entries()) {
      const path = `tools[${tool}].function_declarations[${index}].name`;
      if (!FUNCTION_NAME.test(name)) {
        return `* GenerateContentRequest.${path}: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`;
      }
      if (names.has(name)) return `Duplicate function declaration found: ${name}`;
      names.add(name);
    }
  }
  return undefined;
}

/**
 * A content with calls is followed by one with as many responses, and responses follow nothing
 * else.
 */
function refusedCalls(contents: readonly GeminiContent[]): string | undefined {
  let open = 0;
  for (const content of contents) {
    const responses = countOf(content, 'functionResponse');
    if (open > 0 && responses !== open) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    if (open === 0 && responses > 0) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    open = content.role === 'model' ? countOf(content, 'functionCall') : 0;
  }
  return open > 0
    ? 'Please ensure that function call turn is followed by a function response turn.'
    : undefined;
}

function countOf({ parts = [] }: GeminiContent, kind: 'functionCall' | 'functionResponse'): number {
  // Gemini CLI 0.61.0 posts the response to a call twice, with its id, when it resumes a session.
  const seen = parts.map((part, index) => (part[kind] === undefined ? undefined : (part[kind].id ?? index)));
  return new Set(seen.filter((id) => id !== undefined)).size;
}
