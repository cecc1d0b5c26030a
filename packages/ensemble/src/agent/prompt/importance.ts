/** Importance of each event kind for recall by salience. Data. */

/** From 0 (irrelevant) to 1. */
export type ImportanceTable = Readonly<Record<string, number>>;

/** Importance of the core kinds, unless a table overrides it. */
export const CORE_IMPORTANCE: ImportanceTable = {
  'user.injected': 0.95,
  'judge.verdict': 0.9,
  'agent.reflected': 0.85,
  'world.observed': 0.7,
  'agent.spoke': 0.5,
  'agent.thought': 0.4,
  'run.started': 0.3,
};

/** Importance of any other kind. */
export const DEFAULT_IMPORTANCE = 0.5;
