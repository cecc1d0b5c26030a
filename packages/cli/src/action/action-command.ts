/** `truecast action`: a step of a workflow. Runs an agent, or publishes the work of another job. */
import { startRun } from '../flags/start-run.ts';
import { toRunOptions } from '../flags/to-run-options.ts';
import { EXIT, tell, type Terminal } from '../terminal/print.ts';
import { maskFailure, reportFailure } from '../terminal/report-failure.ts';
import { tellCommits } from '../terminal/tell-commits.ts';
import { tellSensitiveChanges } from '../terminal/tell-sensitive-changes.ts';
import { readActionInputs, inputOf, type ActionInputs } from './action-inputs.ts';
import { writeOutputs } from './action-outputs.ts';
import { withPromptArguments } from './action-prompt.ts';
import { reportError, reportResult, sandboxName, type ActionReport } from './action-report.ts';
import { actionSummary } from './action-summary.ts';
import { enableBubblewrap } from './enable-bubblewrap.ts';
import { publishPatch } from './publish-patch.ts';
import { openRunner, type Annotation, type AnnotationLevel } from './runner.ts';

/** GitHub shows ten annotations of a level for a step. */
const MAX_ANNOTATIONS = 10;
/** Flags that the messages of errors name. Each is an input of the same name. */
const NAMED_FLAGS = [
  '--schema',
  '--tag',
  '--mode',
  '--max-corrections',
  '--sandbox',
  '--egress',
  '--timeout',
];

/** A step of a workflow. */
export type ActionStep = 'agent' | 'publish';

/** Runs a step. Its results are in the runner's files, and its log is on stdout. */
export async function actionCommand(step: ActionStep, terminal: Terminal): Promise<void> {
  const { env } = process;
  const runner = openRunner(env, terminal.stdout);
  // One stream: the runner reads two in any order.
  const log: Terminal = { stdout: runner.log, stderr: runner.log };
  if (step === 'agent') {
    const { report, annotations } = await agentStep(log);
    const written = await writeOutputs(report, {
      runner,
      folder: env['RUNNER_TEMP'],
      cwd: inputOf(env, 'cwd'),
    });
    await runner.summarize(actionSummary(report));
    await runner.end([...annotations, ...written]);
    return;
  }
  try {
    const published = await publishPatch(env, (line) => tell(line, log));
    for (const [name, text] of Object.entries(published)) await runner.output(name, text);
    await runner.end([]);
  } catch (error) {
    const { message, exitCode } = await reportTo(log, error);
    await runner.output('status', 'refused');
    process.exitCode = exitCode;
    await runner.end([{ level: 'error', title: 'Nothing is published', message: message ?? '' }]);
  }
}

interface Ended {
  readonly report: ActionReport;
  readonly annotations: readonly Annotation[];
}

/** Runs the agent. Sets the exit code, and never throws. */
async function agentStep(log: Terminal): Promise<Ended> {
  let inputs: ActionInputs | undefined;
  let report: ActionReport;
  try {
    inputs = readActionInputs(process.env);
    report = await runAgent(inputs, log);
  } catch (error) {
    report = await reportTo(log, error);
  }
  const canContinue = inputs?.onInvalid === 'continue' && report.status !== 'failed';
  process.exitCode = canContinue ? EXIT.done : report.exitCode;
  return { report, annotations: annotationsOf(report, inputs, canContinue ? 'warning' : 'error') };
}

async function runAgent(inputs: ActionInputs, log: Terminal): Promise<ActionReport> {
  const flags = await withPromptArguments(inputs, process.env['GITHUB_EVENT_PATH']);
  await enableBubblewrap({
    env: process.env,
    sandbox: flags.sandbox,
    tell: (line) => tell(line, log, 'warning'),
  });
  const options = await toRunOptions(flags, log);
  try {
    const result = await startRun(options);
    tellCommits(result, options, log);
    tellSensitiveChanges(result.sensitiveChanges ?? [], log);
    return reportResult(result, options);
  } catch (error) {
    return await reportTo(log, error, sandboxName(options));
  }
}

/** Logs an error, and returns its report. Secrets of the environment are masked in both. */
async function reportTo(log: Terminal, failure: unknown, sandbox?: string): Promise<ActionReport> {
  const error = maskFailure(failure);
  await reportFailure(error, { flags: NAMED_FLAGS, json: false }, log);
  return reportError(error, sandbox);
}

function annotationsOf(
  { status, message, issues, value }: ActionReport,
  inputs: ActionInputs | undefined,
  level: AnnotationLevel,
): readonly Annotation[] {
  const file = fileOf(inputs?.flags.schema);
  if (issues.length > 0) {
    return issues.slice(0, MAX_ANNOTATIONS).map((issue) => ({
      level,
      file,
      title: `Invalid answer at ${issue.path.length === 0 ? 'the root' : issue.path.join('.')}`,
      message: issue.message,
    }));
  }
  if (message !== undefined) return [{ level, title: `Status: ${status}`, message }];
  if (status === 'valid') return [];
  return [{ level, title: `Status: ${status}`, message: JSON.stringify(value) }];
}

/** Returns the path of a schema that is a file. */
function fileOf(schema: string | undefined): string | undefined {
  return schema === undefined || schema.trimStart().startsWith('{') ? undefined : schema.split('#')[0];
}
