/** Quotas per owner: limits of a period, and of open chats and turns. Pure. */

/** Limits of one owner. An absent member is unlimited. */
export interface OwnerQuota {
  /** Accepted messages per period, including calls of `/v1`. */
  readonly turns?: number;
  /** Input and output tokens per period. */
  readonly tokens?: number;
  /** US dollars per period. Calls of models without a price are not counted. */
  readonly costUsd?: number;
  /** Chats that are not deleted, without those of subagents. */
  readonly chats?: number;
  /** Turns that run or wait for a tool at the same time, without those of subagents. */
  readonly concurrentTurns?: number;
}

export interface QuotaSettings {
  /** Calendar day or month, in UTC. @default 'day' */
  readonly period?: 'day' | 'month';
  /** Limits of each owner. @default none */
  readonly perOwner?: OwnerQuota;
  /** Other limits by owner. Their members replace those of `perOwner`. @default none */
  readonly owners?: Readonly<Record<string, OwnerQuota>>;
}

/** Returns the limits of an owner. Undefined without any. */
export function quotaOf(settings: QuotaSettings | undefined, owner: string): OwnerQuota | undefined {
  const own = settings?.owners;
  const named = own !== undefined && Object.hasOwn(own, owner) ? own[owner] : undefined;
  if (settings?.perOwner === undefined && named === undefined) return undefined;
  return { ...settings?.perOwner, ...named };
}
