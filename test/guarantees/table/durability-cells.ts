/** Cells of the guarantees about durability: commits, checkouts, sessions, rows, verdicts. */
import type { AskingRoute, Cell, GuaranteeId } from './guarantees.ts';

type DurabilityId = Extract<GuaranteeId, `D${string}`>;

const NO_AGENT: Cell = { notApplicable: 'It starts no agent and touches no repository.' };
const NO_FILES: Cell = { notApplicable: 'Its members are models without files.' };
const NO_MERGE: Cell = { notApplicable: 'The server merges no branch.' };
const NO_STORE: Cell = { notApplicable: 'It opens no database.' };
const HELD_BACK: Cell = { held: 'merges nothing after a question or a refusal, and keeps the commits' };
const NO_OUTCOME: Cell = {
  notApplicable:
    'An outcome is a value of the client there. Its agents work on branches that nothing merges.',
};
const THROWN_AWAY: Cell = {
  held: 'leaves nothing of what an agent wrote, in the repository and in a folder outside of one',
};
const NO_READING: Cell = {
  notApplicable: 'It has no read-only runs. Its agents work on their own branches.',
};
const LANDED: Cell = {
  held: 'reports the work, and warns about what could not be removed',
};
const REPEATED: Cell = {
  held: 'lands once after three killed executions, with all commits, and starts no agent after the stored answer',
};
const NO_ID: Cell = { notApplicable: 'It takes no `id`. Another process cannot find its place.' };
const NO_CHECK: Cell = { notApplicable: 'It takes no check, and merges no branch.' };

/** Cells of part D. */
export const DURABILITY_CELLS: Readonly<Record<DurabilityId, Readonly<Record<AskingRoute, Cell>>>> = {
  D1: {
    'run/none': { held: 'keeps and reports commits beside the branch' },
    'run/bubblewrap': { held: 'keeps and reports commits beside the branch' },
    'run/podman': { held: 'keeps and reports commits beside the branch' },
    kept: { held: 'keeps and reports commits beside the branch' },
    batch: { held: 'keeps and reports commits beside the branch' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: { held: 'keeps and reports commits beside the branch' },
    wire: { held: 'keeps and reports commits beside the branch' },
    command: { held: 'keeps and reports commits beside the branch' },
  },
  D2: {
    'run/none': { held: 'leaves a checkout with `core.worktree` alone' },
    'run/bubblewrap': { held: 'leaves a checkout with `core.worktree` alone' },
    'run/podman': { held: 'leaves a checkout with `core.worktree` alone' },
    kept: { held: 'leaves a checkout with `core.worktree` alone' },
    batch: { held: 'leaves a checkout with `core.worktree` alone' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: { held: 'leaves a checkout with `core.worktree` alone' },
    wire: { held: 'leaves a checkout with `core.worktree` alone' },
    command: { held: 'leaves a checkout with `core.worktree` alone' },
  },
  D3: {
    'run/none': { held: 'finishes or undoes a merge that was killed' },
    'run/bubblewrap': { held: 'finishes or undoes a merge that was killed' },
    'run/podman': { held: 'finishes or undoes a merge that was killed' },
    kept: { held: 'finishes or undoes a merge that was killed' },
    batch: { held: 'finishes or undoes a merge that was killed' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_MERGE,
    wire: NO_MERGE,
    command: { held: '`clean` finishes or undoes a merge that was killed' },
  },
  D4: {
    'run/none': { held: 'warns about a recording that ends at its limit' },
    'run/bubblewrap': { held: 'warns about a recording that ends at its limit' },
    'run/podman': { held: 'warns about a recording that ends at its limit' },
    kept: { held: 'stores no empty session' },
    batch: { held: 'stores no empty session' },
    generate: { held: 'warns about an outcome that could not be written' },
    ensemble: { notApplicable: 'An event that cannot be stored ends the play.' },
    chat: { notApplicable: 'A row that cannot be stored ends the turn.' },
    wire: { notApplicable: 'It stores neither a session nor a log.' },
    command: { notApplicable: 'Its flags record by `run()`, and set no limit.' },
  },
  D5: {
    'run/none': NO_STORE,
    'run/bubblewrap': NO_STORE,
    'run/podman': NO_STORE,
    kept: NO_STORE,
    batch: NO_STORE,
    generate: NO_STORE,
    ensemble: { held: 'a program ends with 0 after it closed a used ledger' },
    chat: { held: 'a server ends with 0 after it closed a used database' },
    wire: { notApplicable: 'It stores nothing.' },
    command: { held: '`token create` and `token list` print everything beside a used database' },
  },
  D6: {
    'run/none': NO_STORE,
    'run/bubblewrap': NO_STORE,
    'run/podman': NO_STORE,
    kept: NO_STORE,
    batch: NO_STORE,
    generate: NO_STORE,
    ensemble: { held: 'refuses a database of a later version' },
    chat: { held: 'ends the turn of an unreadable row, with an error' },
    wire: { notApplicable: 'It stores nothing.' },
    command: { held: 'refuses a database of a later version' },
  },
  D7: {
    'run/none': { held: 'lands nothing that fails the check on a clean checkout' },
    'run/bubblewrap': { held: 'lands nothing that fails the check on a clean checkout' },
    'run/podman': { held: 'lands nothing that fails the check on a clean checkout' },
    kept: { held: 'lands nothing that fails the check on a clean checkout' },
    batch: { held: 'returns no commit that fails the check on a clean checkout' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_CHECK,
    wire: NO_CHECK,
    command: { held: '`compare --check` checks a clean checkout of the commit' },
  },
  D8: {
    'run/none': HELD_BACK,
    'run/bubblewrap': HELD_BACK,
    'run/podman': HELD_BACK,
    kept: HELD_BACK,
    batch: { held: 'gives a question and a refusal a status, and keeps their branches' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_OUTCOME,
    wire: NO_OUTCOME,
    command: { held: 'merges nothing after a question or a refusal, and exits with 4 or 5' },
  },
  D9: {
    'run/none': THROWN_AWAY,
    'run/bubblewrap': THROWN_AWAY,
    'run/podman': THROWN_AWAY,
    kept: { held: 'leaves nothing of what an agent and a command wrote, after it is closed' },
    batch: THROWN_AWAY,
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_READING,
    wire: NO_READING,
    command: { held: 'leaves nothing of what an agent wrote in the repository' },
  },
  D10: {
    'run/none': LANDED,
    'run/bubblewrap': LANDED,
    'run/podman': LANDED,
    kept: LANDED,
    batch: LANDED,
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_MERGE,
    wire: NO_MERGE,
    command: LANDED,
  },
  D11: {
    'run/none': REPEATED,
    'run/bubblewrap': REPEATED,
    'run/podman': REPEATED,
    kept: NO_ID,
    batch: { notApplicable: 'It takes no `id`. With `out`, the same call does the missing items.' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_MERGE,
    wire: NO_MERGE,
    command: { held: 'the same command with `--id` lands once after a kill, with all commits' },
  },
};
