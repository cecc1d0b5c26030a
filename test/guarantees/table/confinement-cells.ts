/** Cells of the guarantees about confinement: replies, secrets, money, paths, rights. */
import type { AskingRoute, Cell, GuaranteeId } from './guarantees.ts';

type ConfinementId = Extract<GuaranteeId, `C${string}`>;

const NO_AGENT: Cell = { notApplicable: 'It starts no agent and touches no repository.' };
const NO_FILES: Cell = { notApplicable: 'Its members are models without files.' };
const NO_MERGE: Cell = { notApplicable: 'The server neither merges nor publishes the branch of an agent.' };
const NO_ATTACHMENTS: Cell = { notApplicable: 'The server attaches no file to the task of an agent.' };
const ATTACHED: Cell = {
  held: 'shows the agent a file that `git add -A` does not commit, and lands none that `git add -f` does',
};
const OWN_RIGHTS: Cell = {
  notPromised: 'Without a sandbox, the agent has all rights of its user.',
  see: 'SECURITY.md#not-promised',
};

const CALLED: Cell = { held: 'runs a right call only, and bounds and masks its result' };
const OWN_TOOLS: Cell = { notApplicable: 'The agent is a model: its tools are bounded as in C1.' };
const NO_TOOLS: Cell = { notApplicable: 'It gives no function to a coding agent.' };

/** Cells of part C. */
export const CONFINEMENT_CELLS: Readonly<Record<ConfinementId, Readonly<Record<AskingRoute, Cell>>>> = {
  C1: {
    'run/none': { held: 'keeps the end of 12 MB of output' },
    'run/bubblewrap': { held: 'keeps the end of 12 MB of output' },
    'run/podman': { held: 'keeps the end of 12 MB of output' },
    kept: { held: 'keeps the end of 12 MB of output' },
    batch: { held: 'stores none of 12 MB of output' },
    generate: { held: 'refuses an endless reply, also a compressed one' },
    ensemble: { held: 'refuses an endless reply, also a compressed one' },
    chat: { held: 'refuses an endless reply, also a compressed one' },
    wire: { held: 'refuses an endless reply, also a compressed one' },
    command: { held: 'refuses an endless reply, also a compressed one' },
  },
  C2: {
    'run/none': { held: 'masks a declared secret that the agent prints' },
    'run/bubblewrap': { held: 'masks a declared secret that the agent prints' },
    'run/podman': { held: 'masks a declared secret that the agent prints' },
    kept: { held: 'masks a declared secret that the agent prints' },
    batch: { held: 'masks a declared secret that the agent prints' },
    generate: { held: 'masks a quoted key, and follows no redirect' },
    ensemble: { held: 'masks a quoted key, and follows no redirect' },
    chat: { held: 'masks a quoted key, and follows no redirect' },
    wire: { held: 'masks a quoted key, and follows no redirect' },
    command: { held: 'masks a quoted key, and follows no redirect' },
  },
  C3: {
    'run/none': {
      notPromised: 'The agent calls its model itself. Its usage is known after it reports it.',
      see: 'SECURITY.md#promises-of-the-sandboxes',
    },
    'run/bubblewrap': { held: 'charges the pages of an inline PDF' },
    'run/podman': { held: 'charges the pages of an inline PDF' },
    kept: { held: 'charges the pages of an inline PDF' },
    batch: { held: 'charges the pages of an inline PDF' },
    generate: { held: 'sends no further request after the limit' },
    ensemble: { held: 'sends no further request after the limit' },
    chat: { held: 'sends no further request after the limit' },
    wire: { held: 'sends no further request after the limit' },
    command: { held: 'sends no further request after the limit' },
  },
  C4: {
    'run/none': { held: 'refuses a `cwd` that is a link to another repository' },
    'run/bubblewrap': { held: 'mounts no link that leads out of the checkout' },
    'run/podman': { held: 'mounts no link that leads out of the checkout' },
    kept: { held: 'mounts no link that leads out of the checkout' },
    batch: { held: 'mounts no link that leads out of the checkout' },
    generate: { held: 'writes no outcome through a link of the checkout' },
    ensemble: { held: 'reads no manifest through a link' },
    chat: { held: 'puts no workspace behind a link of the checkout' },
    wire: { notApplicable: 'A request contains no path, and the server of chats opens the configured ones.' },
    command: { held: '`init` and `clean` write nothing through a link' },
  },
  C5: {
    'run/none': { held: 'names `truecast.config.ts` and `models.yaml`' },
    'run/bubblewrap': { held: 'keeps `truecast.config.ts` read-only in `head`' },
    'run/podman': { held: 'keeps `truecast.config.ts` read-only in `head`' },
    kept: { held: 'names `truecast.config.ts` and `models.yaml`' },
    batch: { held: 'names `truecast.config.ts` and `models.yaml`' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_MERGE,
    wire: NO_MERGE,
    command: { held: 'names `truecast.config.ts` and `models.yaml`' },
  },
  C6: {
    'run/none': { held: 'refuses a `.truecast/.env` that git tracks' },
    'run/bubblewrap': { held: 'refuses a `.truecast/.env` that git tracks' },
    'run/podman': { held: 'refuses a `.truecast/.env` that git tracks' },
    kept: { held: 'refuses a `.truecast/.env` that git tracks' },
    batch: { held: 'refuses a `.truecast/.env` that git tracks' },
    generate: { notApplicable: 'It reads neither a models file nor variables.' },
    ensemble: { held: 'sends no variable that `models.yaml` names' },
    chat: { held: 'sends no variable that `models.yaml` names' },
    wire: { held: 'sends no variable that `models.yaml` names' },
    command: { held: 'sends no variable that `models.yaml` names' },
  },
  C7: {
    'run/none': OWN_RIGHTS,
    'run/bubblewrap': { held: 'leaves no setuid file' },
    'run/podman': { held: 'leaves no setuid file' },
    kept: { held: 'leaves no setuid file' },
    batch: { held: 'leaves no setuid file' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: { held: 'leaves no setuid file' },
    wire: { held: 'leaves no setuid file' },
    command: { held: 'leaves no setuid file' },
  },
  C8: {
    'run/none': { held: 'refuses to merge a declared secret' },
    'run/bubblewrap': { held: 'refuses to merge a declared secret' },
    'run/podman': { held: 'refuses to merge a declared secret' },
    kept: { held: 'refuses to merge a declared secret' },
    batch: { held: 'publishes no branch with a declared secret' },
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_MERGE,
    wire: NO_MERGE,
    command: { held: 'refuses to merge a declared secret' },
  },
  C9: {
    'run/none': ATTACHED,
    'run/bubblewrap': ATTACHED,
    'run/podman': ATTACHED,
    kept: ATTACHED,
    batch: ATTACHED,
    generate: NO_AGENT,
    ensemble: NO_FILES,
    chat: NO_ATTACHMENTS,
    wire: NO_ATTACHMENTS,
    command: ATTACHED,
  },
  C10: {
    'run/none': CALLED,
    'run/bubblewrap': CALLED,
    'run/podman': CALLED,
    kept: CALLED,
    batch: CALLED,
    generate: OWN_TOOLS,
    ensemble: NO_TOOLS,
    chat: OWN_TOOLS,
    wire: NO_TOOLS,
    command: NO_TOOLS,
  },
};
