/** Sample runs in the state folder of a project, for the console's pages. */
import { thisProcess } from '../../packages/truecast/src/process/process-identity.ts';
import { RunJournal } from '../../packages/truecast/src/run/logging/run-journal.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { keptRunId } from '../../packages/truecast/src/run/record/kept-run.ts';
import type { KeptRun } from '../../packages/truecast/src/run/record/kept-run-record.ts';
import { writeKeptRun } from '../../packages/truecast/src/run/record/write-kept-run.ts';

const LOOKED = 'I read src/parser.ts and its tests. The loop ends one item too late. ';
const REFUSED = '{"severity":"hgh","area":"parser","files":["src/parser.ts"]}';
const VALID = '{"severity":"high","area":"parser","files":["src/parser.ts","test/parser.test.ts"]}';
const HOSTILE = '<img src=x onerror="document.title=1"> </script> ‮txet ';
const TRANSCRIPT = `${HOSTILE}${LOOKED.repeat(80)}
The value of <result> is below.
<result>${REFUSED}</result>
${LOOKED.repeat(3)}Sorry, "hgh" is no severity.
<result>
${VALID}
</result>
I committed the fix.`;

const spanOf = (text: string): { readonly start: number; readonly end: number } => {
  const start = TRANSCRIPT.indexOf(text);
  return { start, end: start + text.length };
};

const run = (minutesAgo: number, changes: Partial<KeptRun> = {}): KeptRun => {
  const startedAt = new Date(Date.now() - minutesAgo * 60_000);
  return {
    version: 1,
    id: keptRunId(startedAt, '0a1b2c3d'),
    name: 'Triage #412',
    agent: 'claude-code',
    model: 'opus',
    sandbox: 'bubblewrap',
    egress: 'model',
    branch: 'truecast/triage-412',
    prompt: 'Triage issue 412.\nAnswer in <result>.',
    startedAt: startedAt.toISOString(),
    durationMs: 41_200,
    code: 'ok',
    output: { mode: 'tag', tag: 'result' },
    attempts: [
      {
        code: 'schema-mismatch',
        message: '/severity: Expected one of "low", "medium", "high".',
        span: spanOf(REFUSED),
      },
      { code: 'ok', message: 'The answer is valid.', span: spanOf(`\n${VALID}\n`) },
    ],
    valueText: VALID,
    repairs: [],
    commits: ['205becc0a4b0b0f3f4c1f2f7a1c95d2f5e6a7b8c', '93d9c1efb1fda0cbb3a0d0a2c0c4b9d7e1f2a3b4'],
    usage: {
      inputTokens: 18_204,
      outputTokens: 1_204,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      costUsd: 0.113,
    },
    warnings: ['The agent printed its completion signal but did not exit, so it was stopped.'],
    transcript: { chars: TRANSCRIPT.length, omittedChars: 0 },
    ...changes,
  };
};

const withoutAnswer = { output: undefined, attempts: [], valueText: undefined, commits: [] };

/** A run of this process. */
export interface LiveRun {
  readonly id: string;
  /** Adds to its text. */
  readonly say: (text: string) => void;
  /** Calls a tool, and has an attempt refused. */
  readonly work: () => void;
  /** Ends it with the sample's answer. */
  readonly end: () => Promise<void>;
}

/** Starts a run that is live until it is ended, or, of a process that has ended, an interrupted one. */
export function startSampleRun(project: string, isInterrupted = false): LiveRun {
  const { durationMs: _none, ...started } = run(isInterrupted ? 45 : 0, {
    name: isInterrupted ? 'Update the licences' : 'Review #415',
    valueText: undefined,
  });
  const folder = stateFolderOf(project);
  const journal = new RunJournal(started.id);
  const process = { ...thisProcess(), ...(isInterrupted && { processStartTime: '1' }) };
  journal.open(folder, { ...started, process });
  const now = (): { readonly timestamp: Date; readonly iteration: number } => ({
    timestamp: new Date(),
    iteration: 1,
  });
  return {
    id: started.id,
    say: (text) => journal.write({ type: 'text', text, ...now() }),
    work: () => {
      const message = '/severity: Expected one of "low", "medium", "high".';
      const issues = [{ path: ['severity'], message: 'Expected one of "low", "medium", "high".' }];
      const refused = { type: 'attempt-end', attempt: 1, code: 'schema-mismatch', message, issues } as const;
      journal.write({ ...refused, ...now() });
      journal.write({ type: 'tool-call', name: 'Bash', input: { command: 'npm test' }, ...now() });
    },
    end: async () => {
      journal.end(1, undefined);
      const kept = { ...run(0), ...started, durationMs: 1_200, valueText: VALID };
      await writeKeptRun(folder, { run: kept, transcript: TRANSCRIPT });
      journal.leave();
    },
  };
}

/**
 * Keeps a valid run, a failed one, and one without a required answer. Returns the id of the first,
 * whose commits can be real ones.
 */
export async function keepSampleRuns(project: string, commits?: readonly string[]): Promise<string> {
  const valid = run(2, commits && { commits });
  const runs = [
    run(90, {
      ...withoutAnswer,
      isReplayed: true,
      name: undefined,
      code: 'done',
      agent: 'codex',
      model: 'gpt',
    }),
    run(30, {
      ...withoutAnswer,
      name: 'Nightly build',
      code: 'exit',
      error:
        'The agent `claude-code` exited with code 3: no space left on device. Its work is kept; see the log.',
    }),
    valid,
  ];
  for (const each of runs) await writeKeptRun(stateFolderOf(project), { run: each, transcript: TRANSCRIPT });
  return valid.id;
}
