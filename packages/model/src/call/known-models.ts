/** Known models: the names that a Chat Completions server lists, for a request with an unknown one. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { refusalIn } from '../failure/refusal.ts';
import { withoutFolders } from '../failure/shown-model.ts';
import { toModelError } from '../failure/to-model-error.ts';
import type { GenerateModel } from './generate-options.ts';
import { boundedFetch } from './model-fetch.ts';
import { createHeaderMask } from './model-mask.ts';

/** A list is a help. The error does not wait for it. */
const TIMEOUT_MS = 3_000;

/** Address and headers of the list. */
interface ModelList {
  readonly baseURL: string;
  readonly headers: Readonly<Record<string, string>>;
}

const lists = new WeakMap<GenerateModel, ModelList>();

/** Remembers where the server of a model lists its models. */
export function rememberModelList(model: GenerateModel, list: ModelList): void {
  lists.set(model, list);
}

/** Returns the error of a request that failed permanently. An unknown model is named with the known ones. */
export async function toNamedError(cause: unknown, model: GenerateModel): Promise<unknown> {
  const isUnknown = refusalIn(cause)?.cause === 'unknown-model';
  const known = isUnknown ? await modelsOfService(model) : undefined;
  return toModelError(cause, { model: model.modelId, known });
}

/** Returns the names that the model's server lists. Empty if it lists none, or does not answer soon. */
export async function modelsOfService(model: GenerateModel): Promise<readonly string[]> {
  const list = lists.get(model);
  if (list === undefined) return [];
  const { headers } = list;
  const text = await boundedFetch(`${list.baseURL.replace(/\/+$/u, '')}/models`, {
    headers: { ...headers },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
    .then(async (response) => (response.ok ? await response.text() : ''))
    .catch(() => '');
  const { mask } = createHeaderMask(headers);
  return namesIn(text).map((name) => cut(mask(withoutFolders(name))));
}

function namesIn(text: string): readonly string[] {
  const parsed = parseJson(text);
  const data = parsed.success && isRecord(parsed.value) ? parsed.value['data'] : undefined;
  if (!Array.isArray(data)) return [];
  return data.flatMap((each: unknown) =>
    isRecord(each) && typeof each['id'] === 'string' && each['id'] !== '' ? [each['id']] : [],
  );
}
