/** Executes one scripted reply: delay, error, send, cut. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendAnswer, sendEvents, sendHalf, startEvents } from './http-answer.ts';
import type { ScriptedWire, ScriptedWireRequest } from './turn/model-wire.ts';
import type { CutReply, ErrorReply, MessageReply, ScriptedReply } from './turn/scripted-reply.ts';
import type { ScriptedTurn } from './turn/scripted-turn.ts';
import { settleMessage, type SettleMessageOptions } from './turn/settle-message.ts';

/** Context of a reply. */
export interface TurnAnswering {
  readonly wire: ScriptedWire;
  readonly request: ScriptedWireRequest;
  readonly turn: ScriptedTurn;
  readonly response: ServerResponse;
  readonly settle: SettleMessageOptions;
}

/** Executes `reply`. Rejects with the problem of an invalid reply before anything is sent. */
export async function answerTurn(reply: ScriptedReply, answering: TurnAnswering): Promise<void> {
  const { turn, wire, response } = answering;
  const ready = await waited(reply, turn.signal);
  if (ready === undefined) return;
  switch (ready.type) {
    case 'error':
      return sendAnswer(response, wire.encodeError(ready));
    case 'message':
      return sendMessage(ready, answering);
    case 'cut':
      return sendMessage(ready.message, answering, ready);
  }
}

/** Waits for the delays around a reply. Undefined if the client disconnected. */
async function waited(
  reply: ScriptedReply,
  signal: AbortSignal,
): Promise<MessageReply | ErrorReply | CutReply | undefined> {
  let current = reply;
  while (current.type === 'delay') {
    await sleep(current.delayMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    current = current.reply;
  }
  return current;
}

async function sendMessage(reply: MessageReply, answering: TurnAnswering, cut?: CutReply): Promise<void> {
  const { wire, request, turn, response, settle } = answering;
  const encoded = wire.encode(settleMessage(reply, turn, settle), request);
  const pace = { delayMs: reply.chunkDelayMs ?? 0, signal: turn.signal };
  if (turn.isStreaming && cut?.isSilent === true) {
    await startEvents(response, encoded.events.slice(0, cut.afterChunks), pace);
    return hungUp(turn.signal);
  }
  if (turn.isStreaming) {
    return sendEvents(response, encoded.events, {
      ...pace,
      ...(cut !== undefined && { cutAfter: cut.afterChunks }),
    });
  }
  if (cut === undefined) return sendAnswer(response, { statusCode: 200, body: encoded.whole });
  return sendHalf(response, JSON.stringify(encoded.whole));
}

function hungUp(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
