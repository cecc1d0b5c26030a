/** Parser of `--egress`. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertEgressPolicy } from 'truecast/internal/sandboxes/egress/egress-policy';
import type { EgressPolicy } from 'truecast/internal/ports/sandbox-provider';

/** Forms of the flag, for its help. */
export const EGRESS_FORMS = 'none, host, model or allow=HOST,HOST';

const ALLOW = 'allow=';

/**
 * Parses a policy: `none`, `host`, `model`, or `allow=` with comma-separated hosts.
 *
 * @throws UsageError for anything else
 */
export function parseEgress(text: string): EgressPolicy {
  if (text === 'none' || text === 'host' || text === 'model') return text;
  if (!text.startsWith(ALLOW)) {
    throw new UsageError(`Expected \`--egress\` to be ${EGRESS_FORMS}, got \`${text}\`.`);
  }
  const hosts = text.slice(ALLOW.length).split(',');
  const policy = { allow: hosts.map((host) => host.trim()).filter((host) => host !== '') };
  assertEgressPolicy(policy);
  return policy;
}
