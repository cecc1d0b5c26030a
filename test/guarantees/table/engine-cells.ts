/** Cells of the guarantees of part F: model servers of unknown make, such as those on one's own machine. */
import type { AskingRoute, Cell, GuaranteeId, Route } from './guarantees.ts';

type Cells = Readonly<Record<AskingRoute, Cell>>;
type ModelRoute = Extract<Route, 'generate' | 'ensemble' | 'chat' | 'wire' | 'command'>;

/** A coding agent asks its service itself. */
const OF_AGENT: Cell = { notApplicable: 'The CLI of the agent chooses how it asks its service.' };
const OF_EVENTS: Cell = {
  notApplicable: 'Events have kinds and texts: their schemas contain no such keyword of a caller.',
};
const NO_TOOLS: Cell = { notApplicable: 'The model of this route is offered no tools of others.' };

function cells(held: Partial<Record<ModelRoute, string>>, others: Partial<Record<ModelRoute, Cell>>): Cells {
  const cellOf = (route: ModelRoute): Cell => {
    const title = held[route];
    return title === undefined ? (others[route] ?? OF_AGENT) : { held: title };
  };
  return {
    'run/none': OF_AGENT,
    'run/bubblewrap': OF_AGENT,
    'run/podman': OF_AGENT,
    kept: OF_AGENT,
    batch: OF_AGENT,
    generate: cellOf('generate'),
    ensemble: cellOf('ensemble'),
    chat: cellOf('chat'),
    wire: cellOf('wire'),
    command: cellOf('command'),
  };
}

function onAll(title: string): Partial<Record<ModelRoute, string>> {
  return { generate: title, ensemble: title, chat: title, wire: title, command: title };
}

function ofSchemas(title: string): Cells {
  return cells({ generate: title, chat: title, wire: title }, { ensemble: OF_EVENTS, command: OF_EVENTS });
}

const ANEW_SEEDED = 'asks anew after a cut reply and after a second mismatch, with the next seed';
const LEARNS = 'leaves a mode that is ignored, at once the next time, and keeps one after a cut reply';
const NO_FORCED: Cell = { notApplicable: 'No caller forces a function on this route.' };
const BY_REPLIES: Cell = {
  notApplicable: '`truecast doctor --model` asks. This route learns from its replies.',
};
const LEARNING = { generate: BY_REPLIES, ensemble: BY_REPLIES, chat: BY_REPLIES, wire: BY_REPLIES } as const;

const TAGGED: Cell = {
  held: 'the instructions for a tag name the type, and a reply that repeats them is not an answer',
};
const TOLD: Cell = {
  held: 'the prompt names the type if no mode enforces the schema, and a reply that repeats it is not an answer',
};

/** Cells of model servers (F). */
export const ENGINE_CELLS: Readonly<Record<Extract<GuaranteeId, `F${string}`>, Cells>> = {
  F1: ofSchemas('sends patterns that are anchored, without escapes outside of classes'),
  F2: ofSchemas('sends no format, and a date as a pattern'),
  F3: ofSchemas('sends no `uniqueItems`, no long `maxLength`, and steps as a list'),
  F4: cells(onAll('ends four kinds of runaways early, and takes a right answer with the same signs'), {}),
  F5: cells(
    {
      ...onAll('asks anew after a cut reply and after a second mismatch'),
      generate: ANEW_SEEDED,
      wire: ANEW_SEEDED,
    },
    {},
  ),
  F6: cells({ ...onAll(LEARNS), command: 'leaves a mode that is ignored' }, {}),
  F7: { ...cells({ command: 'prints what an engine holds, and the engine goes on' }, {}), ...LEARNING },
  F8: {
    'run/none': TAGGED,
    'run/bubblewrap': TAGGED,
    'run/podman': TAGGED,
    kept: TAGGED,
    batch: TAGGED,
    generate: TOLD,
    ensemble: { notApplicable: 'The contract of events fixes the text that tells an event.' },
    chat: TOLD,
    wire: TOLD,
    command: TAGGED,
  },
  F9: cells(
    { chat: 'sends the tools of a client in that form', wire: 'sends the tools of a caller in that form' },
    { generate: NO_TOOLS, ensemble: NO_TOOLS, command: NO_TOOLS },
  ),
  F10: cells(onAll('names the window and its size'), {}),
  F11: cells(onAll('waits for an engine that loads'), {}),
  F12: cells(
    {
      ...onAll('names the rule that was not held, and the asked model instead of a path'),
      wire: 'names in a failure the rule that was not held, and no path',
    },
    {},
  ),
  F13: cells(
    { wire: 'asks again for wrong arguments, and asks an engine without tools by the schema' },
    { generate: NO_FORCED, ensemble: NO_FORCED, chat: NO_FORCED, command: NO_FORCED },
  ),
};
