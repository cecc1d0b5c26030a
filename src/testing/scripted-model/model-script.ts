/** Owns what a script is and how the next reply is taken from it. */
import { UsageError } from '../../errors/usage-error.ts';
import type { ScriptedReply } from './scripted-reply.ts';
import type { ScriptedTurn } from './scripted-turn.ts';

/** Decides one reply from what was posted. */
export type ScriptStep = (turn: ScriptedTurn) => ScriptedReply | Promise<ScriptedReply>;

/** The model: one function for every call, or a list that is used up one entry a call. */
export type ModelScript = ScriptStep | readonly (ScriptedReply | ScriptStep)[];

/** Takes the reply to `turn`. A list is indexed by `turnIndex`, so that calls at the same time each take their own entry. */
export async function nextReply(script: ModelScript, turn: ScriptedTurn): Promise<ScriptedReply> {
  if (typeof script === 'function') return script(turn);
  const entry = script[turn.turnIndex];
  if (entry === undefined) {
    throw new UsageError(
      `The script has ${script.length} replies and the client asked for number ${turn.turnIndex + 1}. ` +
        `Add a reply, or look in \`requests\` for the call that was not expected.`,
    );
  }
  return typeof entry === 'function' ? entry(turn) : entry;
}
