/** Owns how much each kind of event matters to an agent that remembers by salience. Data. */

/** From 0, nothing, to 1. */
export type ImportanceTable = Readonly<Record<string, number>>;

/** What the core kinds matter, unless a table says otherwise. */
export const CORE_IMPORTANCE: ImportanceTable = {
  'user.injected': 0.95,
  'judge.verdict': 0.9,
  'agent.reflected': 0.85,
  'world.observed': 0.7,
  'agent.spoke': 0.5,
  'agent.thought': 0.4,
  'run.started': 0.3,
};

/** What any other kind matters. */
export const DEFAULT_IMPORTANCE = 0.5;
