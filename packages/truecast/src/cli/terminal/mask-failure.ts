/** Mask of a command's failure. Loaded only when a command fails. */
import { maskValue } from '../../masking/mask-value.ts';
import { createSecretMask } from '../../masking/secret-mask.ts';
import { secretValues } from '../../masking/secret-values.ts';

/** Returns the error without the secrets of this process's environment. */
export function maskFailure(failure: unknown): unknown {
  return maskValue(failure, createSecretMask(secretValues(process.env)));
}
