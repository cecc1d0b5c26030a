/** Renders the transition table for the documentation. Pure. */
import { allowedNext, CHAT_STATES, TRANSITION_NAMES, TRANSITIONS } from './transitions.ts';

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
    '# What may happen to a chat',
    '',
    'Written from `src/server/state/transitions.ts` by its test (`UPDATE_DOCS=1 vitest run src/server/state/transition-matrix.test.ts`), which',
    'also asks for every transition in every state, on SQLite and on Postgres. `+queue`: messages wait for their turn. A cell holds the states in which the',
    'transition may end; `–` is refused with the code of the second table, or with `chat-not-found` where there is no chat. A worker whose turn was taken',
    'over is refused with `superseded` before the table is asked.',
    '',
    `| transition | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...lines,
    '',
    '| transition | refused with | because |',
    '|---|---|---|',
    ...refusals,
    '',
  ].join('\n');
}
