/** Notes of the operations on scenarios and ensemble runs. */
import type { OperationNotes } from './operation-note.ts';

const ENSEMBLE_RUN = {
  run_id: 'boat-1',
  scenario: 'museum-boat',
  seed: 'a spring flood',
  goal: 'Save the boat.',
  cast: [{ name: 'hedda', role: 'worker', model: 'qwen3' }],
  started_at: '2026-11-23T12:00:00.000Z',
  ended_at: '2026-11-23T12:04:00.000Z',
  reason: 'verdict',
  winner: 'hedda',
  competition: 'judged',
  winners: ['hedda'],
  winning_models: ['qwen3'],
};

const SCENARIO = {
  name: 'museum-boat',
  title: 'The museum boat',
  goal: 'Save the boat.',
  default_seed: 'a spring flood',
  competition: 'judged',
  cast: [
    { name: 'hedda', role: 'worker' },
    { name: 'pilot', role: 'judge' },
  ],
};

export const ENSEMBLE_NOTES: Readonly<Record<string, OperationNotes>> = {
  listEnsembleRuns: {
    tag: 'Ensembles',
    description: "Returns the ensemble runs on the ledger in the server's database.",
    answer: { runs: [ENSEMBLE_RUN] },
  },
  listLedgerEvents: {
    tag: 'Ensembles',
    description:
      'Returns an ensemble run with its events in the order of the ledger, private thoughts included. Texts of agents are sent as they are. With `wait`, an empty page of an open run is returned only after that many seconds: follow a run with `after`, the offset of its last event.',
    answer: {
      run: ENSEMBLE_RUN,
      events: [
        {
          id: 'e1',
          offset: 214,
          turn: 3,
          kind: 'agent.spoke',
          actor: 'hedda',
          payload: { text: 'Under the pier a bell rings.' },
          created_at: '2026-11-23T12:00:04.000Z',
          model: 'qwen3',
          provenance: { path: 'validated', rung: 'validated', attempts: 1 },
        },
      ],
    },
    problems: ['not_found'],
  },
  sayToEnsemble: {
    tag: 'Ensembles',
    description:
      'Sends a message of a person into an open run, as `truecast ensemble say` does. The process that plays the run injects it as the event `user.injected`, whose `caused_by` is the returned id. If no process plays the run, it waits until the run is resumed.',
    body: { text: 'The lighthouse goes dark.' },
    answer: { id: '5b6f0a53-1c58-4c0e-9a51-0d2a6f1e7c11' },
    problems: ['not_found', 'not_allowed'],
  },
  listScenarios: {
    tag: 'Ensembles',
    description:
      'Returns the scenarios of the folder `ensembles` in the working directory of the server, else the ones that the package ships. It reads the manifests at each call. `problems` has each invalid place of a manifest, as `truecast ensemble check` prints it.',
    answer: {
      folder: 'ensembles',
      scenarios: [SCENARIO],
      problems: [
        { file: 'ensembles/agents/ivo.yaml', line: 3, column: 1, message: '`rol` is not a key of an agent.' },
      ],
    },
  },
};
