/** Owns what the bridge answers an agent that asks for leave. Pure. */
import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';

/** Best first. What is granted for once is written nowhere. */
const GRANTS = ['allow_once', 'allow_always'] as const;
const REFUSALS = ['reject_once', 'reject_always'] as const;

/** Picks the option that grants, or the one that refuses; where there is none, the question is taken back. */
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
