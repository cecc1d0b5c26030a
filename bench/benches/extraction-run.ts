/**
 * Bench of extraction inside a run, because the peer's extraction is reachable only that way: a
 * program prints the transcript.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentRunReply } from '../contestants/agent-run.ts';
import { ContestantCrash, startContestant, type ContestantProcess } from '../harness/ask-process.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio } from '../harness/statistics.ts';
import { temporaryRepository } from '../harness/temporary-repository.ts';
import * as transcripts from '../inputs/transcripts.ts';

const HOST = new URL('../contestants/agent-run-host.ts', import.meta.url);
const NAMES = ['truecast', 'sandcastle'] as const;
type Name = (typeof NAMES)[number];

interface Case {
  readonly name: string;
  readonly make: transcripts.TranscriptMaker;
  readonly size: number;
  /** Known to take the peer hours, so it is not run again. */
  readonly isOursAlone?: boolean;
  /** Takes the peer so long that `--quick` skips it, and that a second round adds nothing. */
  readonly isSlow?: boolean;
}

const { MEGABYTE } = transcripts;
const CASES: readonly Case[] = [
  { name: 'tag mentioned, answer near', make: transcripts.mentionThenAnswer, size: 2_000 },
  { name: 'prose, then the answer', make: transcripts.proseThenAnswer, size: 0.1 * MEGABYTE },
  { name: 'prose, then the answer', make: transcripts.proseThenAnswer, size: MEGABYTE, isSlow: true },
  { name: 'prose, then the answer', make: transcripts.proseThenAnswer, size: 10 * MEGABYTE, isSlow: true },
  {
    name: 'prose, then the answer',
    make: transcripts.proseThenAnswer,
    size: 100 * MEGABYTE,
    isOursAlone: true,
  },
  { name: 'tag mentioned early', make: transcripts.mentionThenAnswer, size: MEGABYTE, isSlow: true },
  { name: 'many small answers', make: transcripts.manyAnswers, size: MEGABYTE, isSlow: true },
  { name: 'one large payload', make: transcripts.largePayload, size: 8 * MEGABYTE },
  { name: 'unclosed openings', make: transcripts.openingsOnly, size: 400_000 },
  { name: 'closings', make: transcripts.closingsOnly, size: 400_000 },
  { name: '<result>" repeated', make: transcripts.openStrings, size: 400_000 },
  { name: 'fence, 10,000 newlines', make: transcripts.unclosedFence, size: 10_000 },
];

export const benchExtractionRun: Bench = async ({ isQuick, progress }) => {
  const capMs = isQuick ? 4_000 : 45_000;
  await using folder = await temporaryFolder();
  const contestants = {
    truecast: await createContestant('truecast', folder.path),
    sandcastle: await createContestant('sandcastle', folder.path),
  };
  const rows: string[][] = [];
  try {
    for (const each of CASES) {
      if (isQuick && (each.isSlow === true || each.isOursAlone === true)) continue;
      progress(`${each.name}, ${formatNumber(each.size)}`);
      rows.push(
        await measureCase(each, contestants, { capMs, rounds: isQuick ? 1 : 3, folder: folder.path }),
      );
    }
  } finally {
    for (const name of NAMES) await contestants[name].stop();
  }
  const columns = [
    'transcript',
    'MB',
    'truecast, ms',
    'sandcastle, ms',
    'sandcastle / truecast',
    'truecast says',
    'sandcastle says',
  ];
  return {
    name: 'extraction-run',
    method: makeMethod(capMs),
    tables: [{ title: 'run() of `cat <transcript>`', columns, rows }],
  };
};

const makeMethod = (capMs: number): readonly string[] => [
  'Both call their `run()` with a program as the agent (`command()`; a custom provider whose lines are text), no sandbox, the strategy `head`, their defaults otherwise; the clock covers the whole `run()`, some tens of milliseconds of git included. Each has a process of its own, warmed up by one run.',
  `A contestant that has not replied after ${capMs / 1000} s is killed: \`cut off\`, and its ratio is a lower bound; 3 rounds (1 with --quick, or where one takes seconds). The 100 MB are ours alone, since the peer is cut off at a tenth of it.`,
  'The peer searches its accumulated text for the completion signal again at each line, and takes the answer out of the last 64 KiB of stdout: where that gives another answer than the transcript holds, the last column says what it gave and its time is left out; where the right answer is a failure, it has read less to get there. Its codes are put into our words.',
];

interface Contestant {
  measure(command: string, capMs: number): Promise<AgentRunReply | undefined>;
  stop(): Promise<void>;
}

/** A contestant that is restarted after a timeout. */
async function createContestant(name: Name, parent: string): Promise<Contestant> {
  const home = join(parent, name);
  const repository = await temporaryRepository(home, 'repository');
  const ask = (
    process: ContestantProcess,
    command: string,
    capMs: number,
  ): Promise<AgentRunReply | undefined> =>
    process.ask({ command, repository: repository.path, strategy: 'head', branch: '' }, capMs);
  let process: ContestantProcess | undefined;
  return {
    async measure(command, capMs) {
      if (process?.isAlive() !== true) {
        process = startContestant(HOST, [name], home);
        await ask(process, `echo '<result>{"answer":42}</result>'`, 30_000);
      }
      return ask(process, command, capMs);
    },
    stop: async () => process?.stop(),
  };
}

interface MeasureOptions {
  readonly capMs: number;
  readonly rounds: number;
  readonly folder: string;
}

async function measureCase(
  { name, make, size, isOursAlone, isSlow }: Case,
  contestants: Record<Name, Contestant>,
  options: MeasureOptions,
): Promise<string[]> {
  const { text, expected } = make(size);
  const path = join(options.folder, 'transcript.txt');
  await writeFile(path, text, 'latin1');
  const samples: Record<Name, number[]> = { truecast: [], sandcastle: [] };
  const says: Record<Name, string> = { truecast: '-', sandcastle: isOursAlone === true ? 'not asked' : '-' };
  let isCutOff = false;
  const asked = new Set<Name>(isOursAlone === true ? ['truecast'] : NAMES);
  for (let round = 0; round < (isSlow === true ? 1 : options.rounds) && !isCutOff; round += 1) {
    for (const each of asked) {
      const reply = await contestants[each].measure(`cat '${path}'`, options.capMs).catch(crashOfPeer(each));
      if (reply instanceof ContestantCrash) {
        asked.delete(each);
        says[each] = reply.message;
        continue;
      }
      isCutOff ||= reply === undefined;
      samples[each].push(reply?.ms ?? options.capMs);
      says[each] = reply === undefined ? 'cut off' : describe(reply.answer, expected);
    }
  }
  if (says.truecast !== 'right') throw new Error(`truecast says ${says.truecast} on "${name}".`);
  const ratio = formatRatio(medianRatio(samples.sandcastle, samples.truecast));
  const isComparable = asked.has('sandcastle') && !says.sandcastle.startsWith('WRONG');
  const peer = isCutOff ? `over ${formatNumber(options.capMs)}` : formatSpread(samples.sandcastle);
  return [
    name,
    formatNumber(text.length / MEGABYTE),
    formatSpread(samples.truecast),
    isComparable ? peer : '-',
    isComparable ? `${isCutOff ? 'over ' : ''}${ratio}` : '-',
    says.truecast,
    says.sandcastle,
  ];
}

/** Returns a peer's crash as a result. Ours fails the bench. */
function crashOfPeer(name: Name): (error: unknown) => ContestantCrash {
  return (error) => {
    if (name !== 'truecast' && error instanceof ContestantCrash) return error;
    throw error;
  };
}

function describe(answer: transcripts.Expected, expected: transcripts.Expected): string {
  if (JSON.stringify(answer) === JSON.stringify(expected)) return 'right';
  if ('code' in expected && 'code' in answer) return `fails as ${answer.code}`;
  return `WRONG: ${'code' in answer ? answer.code : JSON.stringify(answer)}`;
}
