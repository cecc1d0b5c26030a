/** Diagrams of the pages. `test/docs/diagrams.test.ts` writes each to `docs/images/diagram-NAME.svg`. */
import type { Diagram } from './draw-diagram.ts';

const routes: Diagram = {
  title: 'Four routes to a typed value',
  description:
    'A coding agent, a model, a chat and an ensemble each give a reply. One judge reads it by the definition of the answer. A valid answer is a typed value. A wrong answer goes back with the path of each mistake, and the last one is a typed error.',
  columns: 4.8,
  rows: 4,
  boxes: {
    run: { at: [0, 0], title: 'Coding agent', lines: ['run(), runBatch()'] },
    generate: { at: [0, 1], title: 'Model', lines: ['generate()'] },
    chat: { at: [0, 2], title: 'Chat', lines: ['chat.ask(), OpenAI API'] },
    ensemble: { at: [0, 3], title: 'Ensemble', lines: ['playEnsemble()'] },
    reply: { at: [1.25, 1.5], title: 'Reply', lines: ['text, calls, reasoning'] },
    judge: {
      at: [2.3, 1.5],
      title: 'One judge',
      lines: ['finds, parses, validates', 'by your Output'],
      tone: 'accent',
    },
    value: { at: [3.75, 0.75], title: 'Typed value', lines: ['of your schema'], tone: 'ok' },
    error: { at: [3.75, 2.25], title: 'Typed error', lines: ['code, path, attempts'], tone: 'bad' },
  },
  arrows: [
    { from: 'run', to: 'reply' },
    { from: 'generate', to: 'reply' },
    { from: 'chat', to: 'reply' },
    { from: 'ensemble', to: 'reply' },
    { from: 'reply', to: 'judge' },
    { from: 'judge', to: 'value', label: 'valid' },
    { from: 'judge', to: 'error', label: 'given up' },
    { from: 'judge', to: 'reply', along: 3.1, label: 'refused, with each mistake' },
  ],
};

const stages: Diagram = {
  title: 'Stages of a run',
  description:
    'run() validates the options, inspects the host, opens a worktree and a sandbox, runs the agent, and validates its answer. A wrong answer goes back to the same session. A valid one is settled: the work is verified, and the branch is merged if that was requested.',
  columns: 4,
  rows: 2.5,
  boxes: {
    options: { at: [0, 0], title: '1. Options', lines: ['checked before any IO'] },
    host: { at: [1, 0], title: '2. Host', lines: ['repository, prompt, keys'] },
    place: { at: [2, 0], title: '3. Place', lines: ['worktree and sandbox'] },
    agent: { at: [3, 0], title: '4. Agent', lines: ['one process at a time'], tone: 'accent' },
    answer: { at: [3, 1.25], title: '5. Answer', lines: ['found and validated'], tone: 'accent' },
    settle: { at: [1.8, 1.25], title: '6. Settle', lines: ['verify, review, merge'] },
    result: { at: [0.4, 1.25], title: 'Result', lines: ['output, commits, branch'], tone: 'ok' },
  },
  arrows: [
    { from: 'options', to: 'host' },
    { from: 'host', to: 'place' },
    { from: 'place', to: 'agent' },
    { from: 'agent', to: 'answer', shift: -30 },
    { from: 'answer', to: 'agent', shift: 30, label: 'refused' },
    { from: 'answer', to: 'settle', label: 'valid' },
    { from: 'settle', to: 'result' },
  ],
};

/** Each arrow is a transition of the table in `docs/chat-states.md`. */
const chatStates: Diagram = {
  title: 'States of a chat',
  description:
    'createChat starts a turn: the chat is running. finishTurn ends it: the chat is waiting, and sendMessage starts the next one. A running chat can require an action, be interrupted, or end with an error.',
  columns: 4,
  rows: 3.6,
  boxes: {
    none: { at: [0, 1.3], title: 'none' },
    running: { at: [1.5, 1.3], title: 'running', tone: 'accent' },
    waiting: { at: [3, 1.3], title: 'waiting', tone: 'ok' },
    interrupting: { at: [1.5, 0], title: 'interrupting' },
    'requires action': { at: [1.5, 2.6], title: 'requires action' },
    error: { at: [3, 2.6], title: 'error', tone: 'bad' },
  },
  arrows: [
    { from: 'none', to: 'running', label: 'createChat' },
    { from: 'running', to: 'waiting', label: 'finishTurn', shift: -9 },
    { from: 'waiting', to: 'running', shift: 9 },
    { from: 'running', to: 'interrupting', label: 'interrupt' },
    { from: 'interrupting', to: 'waiting', label: 'finishInterruption', hasOneTurn: true },
    { from: 'running', to: 'requires action', shift: 12, label: 'enterRequiresAction' },
    { from: 'requires action', to: 'running', shift: -12 },
    { from: 'running', to: 'error', label: 'failTurn' },
  ],
};

const sandbox: Diagram = {
  title: 'Layers of a sandbox',
  description:
    'The agent and its commands are in a sandbox with their own git store and a loopback network. A forwarder inside passes requests through a mounted socket to a proxy on the host, which connects only to allowed hosts and adds the key. Commits are checked in quarantine before the branch moves.',
  columns: 4,
  rows: 3.3,
  frames: [
    { from: [0.02, 0.05], to: [2.02, 3.25], title: 'Sandbox: namespaces, limits, no other network' },
    { from: [2.1, 0.05], to: [3.98, 3.25], title: 'Host: your process' },
  ],
  boxes: {
    agent: { at: [0, 0.25], title: 'Agent', lines: ['and its commands'], tone: 'accent' },
    worktree: { at: [0, 1.3], title: 'Worktree', lines: ['the only writable files'] },
    store: { at: [1, 1.3], title: 'Own git store', lines: ['no hooks of the host'] },
    forwarder: { at: [1, 0.25], title: 'Forwarder', lines: ['on the loopback'] },
    proxy: { at: [2.55, 0.25], title: 'Egress proxy', lines: ['allowed hosts only', 'adds the key'] },
    quarantine: { at: [2.55, 1.3], title: 'Quarantine', lines: ['objects are checked'] },
    branch: { at: [2.55, 2.35], title: 'Branch', lines: ['moves after the review'], tone: 'ok' },
  },
  arrows: [
    { from: 'agent', to: 'forwarder' },
    { from: 'agent', to: 'worktree' },
    { from: 'worktree', to: 'store' },
    { from: 'forwarder', to: 'proxy', label: 'socket' },
    { from: 'store', to: 'quarantine', label: 'one stream' },
    { from: 'quarantine', to: 'branch' },
  ],
};

/** All diagrams by their name. */
export const diagrams: Readonly<Record<string, Diagram>> = {
  routes,
  'run-stages': stages,
  'chat-states': chatStates,
  'sandbox-layers': sandbox,
};
