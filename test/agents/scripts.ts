/**
 * Script that the CLI suites share: it reads a nonce through the agent's shell, commits, and
 * answers with the nonce.
 */
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';

/** File of the repository that contains the nonce. */
export const NONCE_FILE = 'nonce.txt';

/** Subject of the agent's commit. */
export const COMMIT_SUBJECT = 'agent: note the nonce';

/** JSON Schema of the answer, strict enough for both native modes. */
export const NONCE_SCHEMA = {
  type: 'object',
  properties: { nonce: { type: 'string' } },
  required: ['nonce'],
  additionalProperties: false,
} as const;

/** First step of the model: reads the nonce and commits, in one shell command. */
export function readAndCommit(): MessageReply {
  const command = `cat ${NONCE_FILE} && cp ${NONCE_FILE} noted.txt && git add -A && git commit -q -m '${COMMIT_SUBJECT}'`;
  return reply.steps([
    reply.thinking('The nonce is in a file.'),
    reply.text('Let me look.'),
    reply.shell(command),
  ]);
}

/**
 * The nonce as the client posted it, in this or an earlier turn of the session. Empty if it posted
 * none.
 */
export function postedNonce(turn: ScriptedTurn): string {
  const results = turn.messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === 'tool-result');
  const shown = results.map((lastToolResult) => shellOutput({ lastToolResult }));
  return shown.find((text) => /^nonce-[0-9a-f-]+$/u.test(text)) ?? '';
}

/** The whole conversation: look, then answer in the tag `result` from the posted text. */
export function answerInTag(turn: ScriptedTurn): MessageReply {
  if (turn.lastToolResult === undefined) return readAndCommit();
  const answer = JSON.stringify({ nonce: postedNonce(turn) });
  return reply.text(`Done.\n<result>${answer}</result>`, { chunkChars: 3 });
}
