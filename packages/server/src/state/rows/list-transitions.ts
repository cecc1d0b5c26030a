/** Renders the transition table for the documentation. Pure. */
import { allowedNext, CHAT_STATES, TRANSITION_NAMES, TRANSITIONS } from './transition-table.ts';

const INTRODUCTION = [
  '# States and transitions of a chat',
  '',
  'For developers of clients and of the server: the transitions of a chat, and the states in which each',
  'one is allowed. `+queue` means that messages wait for their turn.',
  '',
  'A cell contains the states in which the transition can end. `–` means that it is refused with the',
  'code in [Refusals](#refusals), or with `chat-not-found` if there is no chat. Over HTTP the codes have',
  'underscores: `chat_not_found`. A worker that lost its turn to another one is refused with',
  '`superseded`, before the table is read.',
  '',
  'This page is generated from `packages/server/src/state/rows/transition-table.ts`. Its test requests every transition in',
  'every state, on SQLite and on Postgres. To write the page again:',
  '',
  '```sh',
  'UPDATE_DOCS=1 npx vitest run packages/server/src/state/transition-matrix.test.ts',
  '```',
  '',
] as const;

/** Renders the table as Markdown. */
export function listTransitions(): string {
  const columns = CHAT_STATES.map((state) => state.replaceAll('_', ' '));
  const lines = TRANSITION_NAMES.map((transition) => {
    const cells = CHAT_STATES.map((state) => (allowedNext(transition, state) ?? ['–']).join(', '));
    return `| \`${transition}\` | ${cells.join(' | ').replaceAll('_', ' ')} |`;
  });
  const refusals = TRANSITION_NAMES.map(
    (transition) =>
      `| \`${transition}\` | ${TRANSITIONS[transition].code ?? 'not-allowed'} | ${TRANSITIONS[transition].refusal} |`,
  );
  return [
    ...INTRODUCTION,
    `| transition | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...lines,
    '',
    '## Refusals',
    '',
    '| transition | code | reason |',
    '|---|---|---|',
    ...refusals,
    '',
  ].join('\n');
}
