/**
 * Proof with real models: `npm run proof:live -- [--limit-usd 2] [--tasks 20] [--only Codex,OpenAI] [--dry]
 * [--out test/live/report.json]`. Asks four coding agents and three model services twenty typed questions each,
 * one at a time, and stops before the limit. Contestants without a key are left out.
 *
 * `--dry` asks a scripted model instead, which gives each first answer wrong. It needs no key.
 */
import { execFileSync } from 'node:child_process';
import { accessSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { sampleScript } from '../../packages/cli/src/mock/sample-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { probeBubblewrap } from '../../packages/truecast/src/sandboxes/probe.ts';
import { CLI_BIN_DIRS, OPENCODE_OFFLINE } from '../agents/real-cli.ts';
import { answerTask, type LiveAnswer, type LivePlace } from './answer-task.ts';
import { CONTESTANTS } from './contestants.ts';
import { type LiveReport, type LiveRow, liveTable } from './report.ts';
import { createSpendAccount, type SpendAccount } from './spend-account.ts';
import { FILES, TASKS } from './tasks.ts';

/** A key of the dry run, which the scripted server accepts. */
const DRY_KEY = 'scripted-key';

/** The limits of a proof, and the listener of its answers. */
interface Asked {
  readonly limitUsd: number;
  readonly tasks: number;
  readonly only: readonly string[];
  readonly say: (line: string) => void;
}

if (import.meta.main) {
  await proveLive(process.argv.slice(2), (line) => void process.stdout.write(`${line}\n`));
}

/** Asks all, and returns the report. Changes the environment of this process. */
export async function proveLive(flags: readonly string[], say: (line: string) => void): Promise<LiveReport> {
  const { values } = parseArgs({
    args: [...flags],
    options: {
      'limit-usd': { type: 'string', default: '2' },
      tasks: { type: 'string', default: String(TASKS.length) },
      only: { type: 'string', default: CONTESTANTS.map(({ name }) => name).join(',') },
      dry: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const limitUsd = Number(values['limit-usd']);
  if (!(limitUsd > 0)) {
    throw new Error(`Expected --limit-usd to be dollars, got ${values['limit-usd']}. Pass 2.`);
  }
  const root = mkdtempSync(join(tmpdir(), 'truecast-live-'));
  const dry = values.dry ? await scriptedModelServer({ script: sampleScript(1), key: DRY_KEY }) : undefined;
  try {
    const asked = { limitUsd, tasks: Number(values.tasks), only: values.only.split(','), say };
    const report = await askAll(await openPlace(root, dry), asked);
    say(`\n${liveTable(report)}\n`);
    say(`${report.spentUsd.toFixed(4)} of at most ${limitUsd.toFixed(2)} US dollars.`);
    if (dry !== undefined) say(`${dry.turns.length} requests to the scripted model.`);
    if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`);
    return report;
  } finally {
    await dry?.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function askAll(place: LivePlace, asked: Asked): Promise<LiveReport> {
  const { limitUsd, tasks, only } = asked;
  const named = CONTESTANTS.filter(({ name }) => only.includes(name));
  const reasons = new Map(named.map((each) => [each.name, whyNot(each, place)]));
  const able = named.filter(({ name }) => reasons.get(name) === undefined);
  const account = createSpendAccount(
    limitUsd,
    able.map(({ name }) => name),
  );
  const rows: LiveRow[] = [];
  for (const contestant of named) {
    const { name, model } = contestant;
    const reason = reasons.get(name);
    const row =
      reason === undefined
        ? await askOne(contestant, place, { ...asked, account })
        : { answers: [], left: reason };
    rows.push({ contestant: name, model, ...row });
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    limitUsd,
    spentUsd: account.spent(),
    sandbox: place.sandbox.name,
    tasks,
    rows,
  };
}

async function askOne(
  contestant: (typeof CONTESTANTS)[number],
  place: LivePlace,
  { account, tasks, say }: Asked & { readonly account: SpendAccount },
): Promise<Pick<LiveRow, 'answers' | 'left'>> {
  const answers: LiveAnswer[] = [];
  for (const task of TASKS.slice(0, tasks)) {
    const left = account.left(contestant.name);
    if (left <= 0) return { answers, left: 'its share of the limit is spent' };
    const answer = await answerTask(contestant, task, place, left);
    account.charge(contestant.name, answer.usage?.costUsd);
    answers.push(answer);
    say(`${contestant.name}, ${task.name}: ${answer.code}${answer.isRight ? ', right' : ''}`);
  }
  return { answers };
}

/** Returns why a contestant cannot be asked, or undefined. */
function whyNot(contestant: (typeof CONTESTANTS)[number], { env }: LivePlace): string | undefined {
  if ((env[contestant.keyName] ?? '') === '') return `no ${contestant.keyName}`;
  if (contestant.kind === 'model') return undefined;
  const isThere = (folder: string): boolean => {
    try {
      accessSync(join(folder, contestant.program));
      return true;
    } catch {
      return false;
    }
  };
  const found = (env['PATH'] ?? '').split(delimiter).some(isThere);
  return found ? undefined : `no program \`${contestant.program}\`: run \`npm ci --prefix test/agents\``;
}

/** Makes the repository, and the environment of the agents. Logins of the user are not read. */
async function openPlace(root: string, dry: ScriptedModelServer | undefined): Promise<LivePlace> {
  const [cwd, home] = [join(root, 'harbour'), join(root, 'home')];
  for (const folder of [cwd, home]) mkdirSync(folder);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  const author = ['-c', 'user.name=Proof', '-c', 'user.email=proof@example.invalid'];
  git(...author, 'commit', '-q', '-m', 'start');
  const keys = Object.fromEntries(
    CONTESTANTS.map(({ keyName }) => [keyName, dry === undefined ? (process.env[keyName] ?? '') : DRY_KEY]),
  );
  const env = {
    ...keys,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    PATH: `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ...(process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
    ...(dry !== undefined && { ANTHROPIC_BASE_URL: dry.anthropicUrl, ...OPENCODE_OFFLINE }),
  };
  // Runs read keys and base URLs of this process, and keep their logs in its state folder.
  Object.assign(process.env, env);
  const { works } = await probeBubblewrap();
  return { cwd, sandbox: works ? bubblewrap() : noSandbox(), env, dry };
}
