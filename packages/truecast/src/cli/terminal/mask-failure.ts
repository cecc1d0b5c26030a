/** Mask of a command's failure. Loaded only when a command fails. */
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { processSecrets } from '@truecast/host/internal/masking/secret-values';

/** Returns the error without the secrets of this process's environment. */
export function maskFailure(failure: unknown): unknown {
  return maskValue(failure, createSecretMask(processSecrets()));
}
