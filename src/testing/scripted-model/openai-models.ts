/** Owns how OpenAI's service lists its models. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { WireAnswer } from './model-wire.ts';

/** Path of the list; a model is found below it. */
export const MODELS_PATH = '/v1/models';

/** Answers the list of models, or one of them; undefined for another path or a model that is not listed. */
export function listModels(pathname: string, models: readonly string[]): WireAnswer | undefined {
  if (pathname === MODELS_PATH) {
    // Codex reads its own catalogue from the same path, under `models`; empty, it keeps the one that it ships.
    return { statusCode: 200, body: { object: 'list', data: models.map(modelOf), models: [] } };
  }
  const id = models.find((model) => pathname === `${MODELS_PATH}/${encodeURIComponent(model)}`);
  return id === undefined ? undefined : { statusCode: 200, body: modelOf(id) };
}

function modelOf(id: string): JsonValue {
  return { id, object: 'model', created: 0, owned_by: 'scripted' };
}
