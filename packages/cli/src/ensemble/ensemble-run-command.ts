/** `truecast ensemble run`: plays a scenario live, or resumes an interrupted run. */
import { manifestAgent } from '@truecast/ensemble/internal/agent/manifest-agent';
import type { EnsembleAgent } from '@truecast/ensemble/internal/scenario/ensemble-agent';
import {
  createEnsemble,
  resumeEnsemble,
  type Ensemble,
  type EnsembleStatus,
} from '@truecast/ensemble/internal/conductor/ensemble';
import { followInbox } from '@truecast/ensemble/internal/conductor/visitor-inbox';
import type { Ledger } from '@truecast/ensemble/internal/ledger/ledger';
import type { EnsembleScenario } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import { createModelRouter, type ModelRouter } from '@truecast/ensemble/internal/manifest/model-router';
import type { EnsembleFolder } from '@truecast/ensemble/internal/manifest/read-ensemble';
import { toEnsembleScenario } from '@truecast/ensemble/internal/manifest/to-ensemble-scenario';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { EXIT, tell, type Terminal, isClosedPipe } from '../terminal/print.ts';
import { findScenario, loadFolder, findRun, withLedger, type LedgerFlags } from './with-ledger.ts';
import { createEventOutput, type EventOutput } from './event-output.ts';

export interface EnsembleRunFlags extends LedgerFlags {
  readonly dir?: string;
  readonly seed?: string;
  readonly turns?: number;
  /** Id of the run to resume. */
  readonly resume?: string;
  /** Ends the resumed run after a verdict of its judges. */
  readonly lastWord?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Inputs to start or resume a run. */
interface Play {
  readonly folder: EnsembleFolder;
  readonly scenarioName: string;
  readonly seed: string | undefined;
  readonly runId: string;
  readonly isResumed: boolean;
}

/** Plays a scenario. Shows it on stderr and prints its outcome on stdout. */
export async function ensembleRunCommand(
  scenarioName: string | undefined,
  flags: EnsembleRunFlags,
  terminal: Terminal,
): Promise<void> {
  const folder = await loadFolder(flags.dir);
  const router = createModelRouter({
    env: process.env,
    ...(folder.models !== undefined && { models: folder.models }),
  });
  const play = await choosePlay(scenarioName, flags, { folder, terminal });
  await playRun(play, flags, { router, terminal });
}

async function choosePlay(
  scenarioName: string | undefined,
  flags: EnsembleRunFlags,
  { folder, terminal }: { readonly folder: EnsembleFolder; readonly terminal: Terminal },
): Promise<Play> {
  const { resume, seed } = flags;
  if (seed?.trim() === '') {
    throw new UsageError(
      "Expected `--seed` to be a non-empty string, got an empty one. Omit it to use the scenario's seed.",
    );
  }
  if (resume === undefined) {
    if (flags.lastWord === true) {
      throw new UsageError('`--last-word` ends an open run. Pass it with `--resume RUN`.');
    }
    if (scenarioName !== undefined) {
      return { folder, scenarioName, seed, runId: crypto.randomUUID(), isResumed: false };
    }
    throw new UsageError(
      `\`truecast ensemble run\` needs a scenario or \`--resume RUN\`. Pass one of ${[...folder.scenarios.keys()].join(', ')}.`,
    );
  }
  if (seed !== undefined || scenarioName !== undefined) {
    throw new UsageError(
      '`--resume` cannot be combined with a scenario or `--seed`: the run has both. Pass `--resume` alone.',
    );
  }
  const run = await withLedger(flags, [], async (ledger) => await findRun(ledger, resume));
  if (run.end !== undefined) tell('The run has already ended. This is its replay.', terminal);
  return { folder, scenarioName: run.scenario, seed: run.seed, runId: resume, isResumed: true };
}

/** Plays the run, and injects the messages that `truecast ensemble say` stores for it. */
async function playWithInbox(ensemble: Ensemble, ledger: Ledger): Promise<EnsembleStatus> {
  const controller = new AbortController();
  const following = followInbox(ensemble, ledger, controller.signal);
  try {
    return await ensemble.run();
  } finally {
    controller.abort();
    await following.catch(() => undefined);
  }
}

interface PlayParts {
  readonly router: ModelRouter;
  readonly terminal: Terminal;
}

async function playRun(
  { folder, scenarioName, seed, runId, isResumed }: Play,
  flags: EnsembleRunFlags,
  { router, terminal }: PlayParts,
): Promise<void> {
  const manifest = findScenario(folder, scenarioName);
  const scenario = toEnsembleScenario(manifest, folder, {
    modelOf: (agent) => router.providerOf(agent).model,
    ...(seed !== undefined && { seed }),
  });
  const limits = flags.turns === undefined ? {} : { turns: flags.turns };
  const output = createEventOutput({
    terminal,
    isJson: flags.json === true,
    isQuiet: flags.quiet === true,
    title: manifest.title,
    limits: { ...manifest.governor, ...limits },
  });
  tell(router.notice, terminal);
  tell(`Run ${runId}`, terminal);
  const agents = agentsOf(scenario, folder, { router, output });
  const status = await withLedger(flags, scenario.cast, async (ledger) => {
    if (isResumed) for await (const event of ledger.read(runId)) await output.take(event);
    return await interruptible(runId, output, async (signal) => {
      const options = { scenario, agents, ledger, runId, limits, signal, onEvent: output.take };
      const ensemble = isResumed ? await resumeEnsemble(options) : await createEnsemble(options);
      if (flags.lastWord === true) ensemble.stop({ lastWord: true });
      return await playWithInbox(ensemble, ledger);
    });
  });
  const outcome = await output.finish();
  if (status.state === 'waiting') {
    tell('No agent has a turn left. The run waits for an event from outside.', terminal);
  }
  if (outcome.reason === 'failed' || outcome.reason === 'no-progress') process.exitCode = EXIT.failed;
}

function agentsOf(
  scenario: EnsembleScenario,
  { agents }: EnsembleFolder,
  { router, output }: { readonly router: ModelRouter; readonly output: EventOutput },
): readonly EnsembleAgent[] {
  return scenario.cast.flatMap(({ name }) => {
    const manifest = agents.get(name);
    if (manifest === undefined) return [];
    const agent = manifestAgent({ manifest, scenario, provider: router.providerOf(manifest) });
    return [
      {
        name,
        act: async (turn) => {
          output.asking(name, turn.turn);
          const { saying } = output;
          const preview = saying === undefined ? {} : { onText: (text: string) => saying(name, text) };
          return await agent.act({ ...turn, ...preview });
        },
      },
    ];
  });
}

/**
 * Plays until the end, a signal, or the disconnection of the output's reader. After the last two
 * the run stays open and can be resumed.
 */
async function interruptible(
  runId: string,
  output: EventOutput,
  work: (signal: AbortSignal) => Promise<EnsembleStatus>,
): Promise<EnsembleStatus> {
  const controller = new AbortController();
  const interruption = (cause: string, processSignal: string): InterruptedError =>
    new InterruptedError(
      `${cause} stopped the run. Its events are kept. To continue: ${OWN_COMMAND} ensemble run --resume ${runId}`,
      { processSignal },
    );
  const onSignal = (processSignal: string): void =>
    controller.abort(interruption(processSignal, processSignal));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw isClosedPipe(error) ? interruption('The reader of the output is gone, which', 'SIGPIPE') : error;
  } finally {
    for (const name of signals) process.off(name, onSignal);
    output.close();
  }
}
