/** Check of the use of an owner's quotas. Pure. */
import { number, object, oneOf, optional, string, type Check } from './check.ts';
import type { UsageView } from './wire/account.ts';

export const usageCheck: Check<UsageView> = object({
  owner: string,
  period: optional(
    object({
      name: oneOf('day', 'month'),
      resets_at: string,
      turns: number,
      tokens: number,
      cost_usd: number,
    }),
  ),
  chats: number,
  concurrent_turns: number,
  limits: object({
    turns: optional(number),
    tokens: optional(number),
    cost_usd: optional(number),
    chats: optional(number),
    concurrent_turns: optional(number),
  }),
});
