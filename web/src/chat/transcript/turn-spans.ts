/** Time spans of a turn: the work between two commits, and its result. Pure. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { MessageView } from '@truecast/client';
import type { TranscriptTurn } from './turns.ts';

/** One bar of the timeline. */
export interface TurnSpan {
  readonly kind: 'model' | 'tools';
  readonly startMs: number;
  readonly endMs: number;
  /** The attempt that ended with the span. */
  readonly attempt?: 'refused' | 'valid';
  /** The message that ended the span. */
  readonly messageId: number;
  readonly label: string;
  /** Parts of a model call. Absent for tools, and if the server did not record them. */
  readonly phases?: CallPhases;
}

/** Durations of the parts of a model call. */
export interface CallPhases {
  /** From the last commit to the call. */
  readonly queueMs: number;
  /** From the call to the first part of the reply. */
  readonly firstMs: number;
  /** From there to the commit. */
  readonly replyMs: number;
}

/**
 * Returns the spans in order. A commit ends a span, so a wait before a step is part of its span.
 */
export function spansOf({ user, steps }: TranscriptTurn): readonly TurnSpan[] {
  const spans: TurnSpan[] = [];
  let startMs = user === undefined ? Number.NaN : Date.parse(user.created_at);
  let number = 0;
  for (const message of steps) {
    const endMs = Date.parse(message.created_at);
    const attempt = attemptOf(message);
    if (attempt !== undefined) number += 1;
    const last = spans.at(-1);
    if (attempt !== undefined && message.role === 'tool' && last !== undefined && endMs - last.endMs < 50) {
      // The check of a submission takes no visible time, so it ends the bar of its model call.
      spans[spans.length - 1] = { ...last, attempt, endMs, label: `attempt ${number} ${attempt}` };
    } else if (message.role !== 'user' && !Number.isNaN(startMs) && isWork(message)) {
      spans.push({
        kind: message.role === 'tool' ? 'tools' : 'model',
        startMs,
        endMs,
        messageId: message.id,
        label: attempt === undefined ? labelOf(message) : `attempt ${number} ${attempt}`,
        ...(attempt !== undefined && { attempt }),
        ...phasesOf(message, startMs, endMs),
      });
    }
    startMs = endMs;
  }
  return spans;
}

function phasesOf(
  { role, started_at, first_token_at }: MessageView,
  startMs: number,
  endMs: number,
): Pick<TurnSpan, 'phases'> {
  if (role === 'tool' || started_at === undefined) return {};
  const within = (ms: number, from: number): number => Math.min(endMs, Math.max(from, ms));
  const calledMs = within(Date.parse(started_at), startMs);
  // A call that failed before its reply has no first part.
  const firstMs = first_token_at === undefined ? endMs : within(Date.parse(first_token_at), calledMs);
  return {
    phases: { queueMs: calledMs - startMs, firstMs: firstMs - calledMs, replyMs: endMs - firstMs },
  };
}

/**
 * Returns false for messages that the server writes, such as the end of a request. They take no
 * time.
 */
function isWork({ content, role }: MessageView): boolean {
  return role === 'tool' || content.some(({ type }) => type !== 'outcome');
}

/** A step has one attempt: in its own message, or in the result of its call. */
function attemptOf({ attempt, content }: MessageView): TurnSpan['attempt'] {
  const results = content.flatMap((part) => (part.type === 'tool_result' ? [part.attempt] : []));
  const found = [attempt, ...results].find((each) => each !== undefined);
  return found && (found.code === 'ok' ? 'valid' : 'refused');
}

function labelOf({ role, content }: MessageView): string {
  const names = content.flatMap((part) =>
    part.type === 'tool_call' && part.tool_name !== FINALIZER_NAME ? [part.tool_name] : [],
  );
  if (role === 'tool') return 'tools';
  return names.length === 0 ? 'model' : `model, calls ${names.join(', ')}`;
}
