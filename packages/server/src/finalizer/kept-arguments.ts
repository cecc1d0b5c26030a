/**
 * Arguments of rejected submissions: kept as the model wrote them, so that each attempt has its
 * evidence, and sent again only if a provider can read them. Pure.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import {
  DEFAULT_FINALIZER_LIMITS,
  screenArguments,
} from '@truecast/core/internal/output/finalizer/screen-arguments';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import { escapeUnstorable } from '../format/format-problem.ts';

/** Enough to see what went wrong. A reply of megabytes would be stored once per attempt. */
const MAX_KEPT_CHARS = 32 * 1024;

/** Returns the call as it is stored. What is not sent again is escaped, and cut if it is too long. */
export function keptCall(call: ToolCallPart): ToolCallPart {
  if (isSentAgain(call)) return call;
  const { args } = call;
  const kept = args.length > MAX_KEPT_CHARS ? `${args.slice(0, MAX_KEPT_CHARS)}…` : args;
  return { ...call, args: escapeUnstorable(kept) };
}

/** Returns false for a submission that some providers would refuse: no JSON, or outside its limits. */
export function isSentAgain({ tool_name, args }: ToolCallPart): boolean {
  if (tool_name !== FINALIZER_NAME) return true;
  if (isLongerThan(args, DEFAULT_FINALIZER_LIMITS.maxBytes) || !parseJson(args).success) return false;
  return screenArguments(args, DEFAULT_FINALIZER_LIMITS) === undefined;
}
