/** Cells of the guarantees about the verdict on an answer. */
import type { AskingRoute, Cell, GuaranteeId } from './guarantees.ts';

type AnswerId = Extract<GuaranteeId, 'A0' | 'A1' | 'A2' | 'A3' | 'A4' | 'A8' | 'A9'>;

const SAME: Cell = { held: 'gives the verdict of the table on replies that are right, odd and broken' };
const SAME_EVENT: Cell = { held: 'gives the verdict of the table on events that are right, odd and broken' };
const SAME_TAGGED: Cell = { held: 'gives the verdict of the table on text between tags' };
const WHOLE: Cell = { held: 'takes no part of a broken answer, no draft before one, and not the schema' };
const ELSEWHERE: Cell = { held: 'accepts the answer as text, in a fence and as reasoning, in one call' };
const FROM_CALL: Cell = {
  held: 'accepts the answer of a call whose final event lacks it, and in an envelope',
};
const COMPLETE: Cell = { held: 'accepts a complete answer at the output limit, and none that is withheld' };
const CLOSED: Cell = { held: 'accepts a closed answer before a cut end, and no open one' };
const ONE: Cell = { held: 'refuses two different submissions in one reply' };
const LAST: Cell = {
  notApplicable:
    'The last closed tag is the answer by definition. A schema mode reports one value, and the answer tool takes no call after an accepted one.',
};

const WORKED: Cell = { held: 'answers after work, wrong calls and repeated ones, and names why else' };
const OF_AGENT: Cell = { notApplicable: 'The agent has its own loop and its own tools.' };

const ELEMENTS: Cell = {
  held: 'gives exactly the elements of the answer after wrong, changed and shortened lists, or ends with `restarted`',
};
const NO_ELEMENTS: Cell = { notApplicable: 'It has no loop over elements.' };

/** Cells of A0 to A4, and of A8 and A9. */
export const ANSWER_CELLS: Readonly<Record<AnswerId, Readonly<Record<AskingRoute, Cell>>>> = {
  A0: {
    'run/none': SAME_TAGGED,
    'run/bubblewrap': SAME_TAGGED,
    'run/podman': SAME_TAGGED,
    kept: SAME_TAGGED,
    batch: SAME_TAGGED,
    generate: SAME,
    ensemble: SAME_EVENT,
    chat: SAME,
    wire: SAME,
    command: SAME_TAGGED,
  },
  A1: {
    'run/none': WHOLE,
    'run/bubblewrap': WHOLE,
    'run/podman': WHOLE,
    kept: WHOLE,
    batch: WHOLE,
    generate: WHOLE,
    ensemble: WHOLE,
    chat: WHOLE,
    wire: WHOLE,
    command: WHOLE,
  },
  A2: {
    'run/none': FROM_CALL,
    'run/bubblewrap': FROM_CALL,
    'run/podman': FROM_CALL,
    kept: FROM_CALL,
    batch: FROM_CALL,
    generate: ELSEWHERE,
    ensemble: ELSEWHERE,
    chat: ELSEWHERE,
    wire: ELSEWHERE,
    command: FROM_CALL,
  },
  A3: {
    'run/none': CLOSED,
    'run/bubblewrap': CLOSED,
    'run/podman': CLOSED,
    kept: CLOSED,
    batch: CLOSED,
    generate: COMPLETE,
    ensemble: COMPLETE,
    chat: COMPLETE,
    wire: COMPLETE,
    command: CLOSED,
  },
  A4: {
    'run/none': LAST,
    'run/bubblewrap': LAST,
    'run/podman': LAST,
    kept: LAST,
    batch: LAST,
    generate: ONE,
    ensemble: {
      notApplicable:
        'Several submissions are requested again while attempts are left. Of several events in a text, the best one counts, and the last of equals.',
    },
    chat: ONE,
    wire: ONE,
    command: LAST,
  },
  A8: {
    'run/none': OF_AGENT,
    'run/bubblewrap': OF_AGENT,
    'run/podman': OF_AGENT,
    kept: OF_AGENT,
    batch: OF_AGENT,
    generate: WORKED,
    ensemble: { notApplicable: 'An agent of an ensemble answers with an event, and has no tools.' },
    chat: WORKED,
    wire: { notApplicable: 'The client has the tools. It runs them, and asks again.' },
    command: OF_AGENT,
  },
  A9: {
    'run/none': NO_ELEMENTS,
    'run/bubblewrap': NO_ELEMENTS,
    'run/podman': NO_ELEMENTS,
    kept: NO_ELEMENTS,
    batch: NO_ELEMENTS,
    generate: ELEMENTS,
    ensemble: NO_ELEMENTS,
    chat: ELEMENTS,
    wire: NO_ELEMENTS,
    command: NO_ELEMENTS,
  },
};
