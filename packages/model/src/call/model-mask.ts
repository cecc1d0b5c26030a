/**
 * Secret masks of model calls: a service can answer with the key that it got. Applied before a text is
 * cut, because half of a key is not recognized.
 */
import { createSecretMask, type SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { declaredValues, processSecrets } from '@truecast/host/internal/masking/secret-values';
import type { GenerateModel } from './generate-options.ts';

/** Headers whose value is a key. */
const SECRET_HEADER = /auth|key|token|secret|cookie/iu;
const SCHEME = /^(?:bearer|basic|token)\s+/iu;

/** Masks that are kept: for some models and headers at a time. */
const MAX_MASKS = 8;

const declared = new WeakMap<object, readonly string[]>();

/** Remembers the key and the headers that a model was created with. */
export function rememberSecrets(
  model: GenerateModel,
  { apiKey, headers = {} }: { readonly apiKey?: string; readonly headers?: Readonly<Record<string, string>> },
): void {
  declared.set(model, [...(apiKey === undefined ? [] : [apiKey]), ...headerSecrets(headers)]);
}

/** Returns the key and the headers that a model was created with. */
export function modelSecrets(model: GenerateModel): readonly string[] {
  return declared.get(model) ?? [];
}

/** Creates the mask of a call: the model's secrets, the call's headers, and the process's keys. */
export function createModelMask(
  model: GenerateModel,
  headers: Readonly<Record<string, string>> | undefined,
): SecretMask {
  return maskOf([...modelSecrets(model), ...headerSecrets(headers ?? {})]);
}

/** Creates the mask for a reply to a request with these headers. */
export function createHeaderMask(headers: RequestInit['headers']): SecretMask {
  return maskOf(headerSecrets(Object.fromEntries(new Headers(headers))));
}

/** The latest masks, by their secrets. Preparing a mask takes longer than masking a reply. */
const masks = new Map<string, SecretMask>();

function maskOf(ofCall: readonly string[]): SecretMask {
  const secrets = [...ofCall, ...processSecrets()];
  const key = JSON.stringify(secrets);
  const mask = masks.get(key) ?? createSecretMask(secrets);
  masks.delete(key);
  masks.set(key, mask);
  const [oldest] = masks.keys();
  if (oldest !== undefined && masks.size > MAX_MASKS) masks.delete(oldest);
  return mask;
}

function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name));
  return declaredValues(Object.fromEntries(secret)).flatMap((value) => [value, value.replace(SCHEME, '')]);
}
