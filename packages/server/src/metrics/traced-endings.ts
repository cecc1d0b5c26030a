/** Facts of a receipt on the span of the turn, without its value. */
import type { ChatMachine } from '../state/chat-machine.ts';
import type { ReceiptEnding } from '../state/rows/ending-of-turn.ts';
import type { OpenSpan, SpanAttributes } from '@truecast/model/internal/telemetry/tracing';

type Endings = Pick<ChatMachine, 'finishTurn' | 'failTurn' | 'finishInterruption'>;

/** Returns the machine. It describes each ending that it committed on `span`. */
export function tracedEndings(machine: ChatMachine, span: Pick<OpenSpan, 'set'>): ChatMachine {
  const noted = <T>(ended: Promise<T>, ending: ReceiptEnding | undefined): Promise<T> =>
    ended.then((chat) => {
      if (ending !== undefined) span.set(attributesOf(ending));
      return chat;
    });
  const endings: Endings = {
    finishTurn: (fence, finish) => noted(machine.finishTurn(fence, finish), finish?.ending),
    failTurn: (fence, finish) => noted(machine.failTurn(fence, finish), finish.ending),
    finishInterruption: (fence, finish) => noted(machine.finishInterruption(fence, finish), finish?.ending),
  };
  return { ...machine, ...endings };
}

/** `truecast.valid` is a number, so that backends can chart its mean. */
function attributesOf({ status, error, attempts, mode }: ReceiptEnding): SpanAttributes {
  return {
    'truecast.valid': status === 'succeeded' ? 1 : 0,
    'truecast.status': status,
    'truecast.code': error?.reason ?? error?.code,
    'truecast.attempts': attempts.length,
    'truecast.mode': mode,
  };
}
