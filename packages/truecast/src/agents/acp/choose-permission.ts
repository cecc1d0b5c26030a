/** Answers to an agent's permission requests. Pure. */
import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';

/** In order of preference. One-time grants are not stored. */
const GRANTS = ['allow_once', 'allow_always'] as const;
const REFUSALS = ['reject_once', 'reject_always'] as const;

/**
 * Selects the option that grants or denies the request. Without such an option, the request is
 * cancelled.
 */
export function choosePermission(
  options: readonly PermissionOption[],
  isGranted: boolean,
): RequestPermissionResponse {
  const wanted: readonly string[] = isGranted ? GRANTS : REFUSALS;
  const chosen = wanted.map((kind) => options.find((option) => option.kind === kind)).find(Boolean);
  return {
    outcome:
      chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId },
  };
}
