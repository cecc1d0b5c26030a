/** Scripts, and the selection of the next reply. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ScriptedReply } from './turn/scripted-reply.ts';
import type { ScriptedTurn } from './turn/scripted-turn.ts';

/** Computes one reply from the posted request. */
export type ScriptStep = (turn: ScriptedTurn) => ScriptedReply | Promise<ScriptedReply>;

/** The model: a function for every call, or a list with one entry per call. */
export type ModelScript = ScriptStep | readonly (ScriptedReply | ScriptStep)[];

/**
 * Returns the reply to `turn`. A list is indexed by `turnIndex`, so that concurrent calls use
 * different entries.
 */
export async function nextReply(script: ModelScript, turn: ScriptedTurn): Promise<ScriptedReply> {
  if (typeof script === 'function') return script(turn);
  const entry = script[turn.turnIndex];
  if (entry === undefined) {
    throw new UsageError(
      `The script has ${script.length} replies and the client asked for number ${turn.turnIndex + 1}. ` +
        `Add a reply, or find the unexpected call in \`requests\`.`,
    );
  }
  return typeof entry === 'function' ? entry(turn) : entry;
}
