/** Model list of OpenAI's services. Pure. */
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ScriptedWireAnswer } from './model-wire.ts';

/** Path of the list. A single model is below it. */
export const MODELS_PATH = '/v1/models';

/** Returns the list of models or one of them. Undefined for another path or an unlisted model. */
export function listModels(pathname: string, models: readonly string[]): ScriptedWireAnswer | undefined {
  if (pathname === MODELS_PATH) {
    // Codex reads its model catalogue from the same path, under `models`. If it is empty, Codex
    // keeps its built-in one.
    return { statusCode: 200, body: { object: 'list', data: models.map(modelOf), models: [] } };
  }
  const id = models.find((model) => pathname === `${MODELS_PATH}/${encodeURIComponent(model)}`);
  return id === undefined ? undefined : { statusCode: 200, body: modelOf(id) };
}

function modelOf(id: string): JsonValue {
  return { id, object: 'model', created: 0, owned_by: 'scripted' };
}
