/**
 * Shared fixtures of the `truecast ensemble` tests: the command, a small scenario, an obedient model.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stubEvent } from '../../packages/core/src/event-contract/stub-event.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { type Ended, runCommand } from './run-command.ts';

/** Environment of the command. */
export type Env = Readonly<Record<string, string>>;

const NO_MODEL: Env = { TRUECAST_BASE_URL: '', TRUECAST_MODEL: '', TRUECAST_API_KEY: '' };

/** Runs the command in a folder, without a model unless `env` names one. */
export function ensemble(cwd: string, args: readonly string[], env: Env = {}): Promise<Ended> {
  return runCommand(['ensemble', ...args], { cwd, env: { HOME: cwd, ...NO_MODEL, ...env } });
}

/** Arguments of a comparison of the inputs that `items.jsonl` contains, once each. */
export const COMPARE: readonly string[] = [
  'compare',
  'Say {{N}}.',
  '--inputs',
  'items.jsonl',
  '--schema',
  '../s.json',
  '--repeat',
  '1',
];

/** Writes files into a folder. */
export function writeFolder(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Two speakers and a judge. The judge rules in turn 2. */
export const SMALL: Readonly<Record<string, string>> = {
  'ensembles/agents/ada.yaml':
    'name: ada\npersona: You are Ada.\nmay_emit: [agent.spoke]\nschedule: { tick_every: 1 }\n',
  'ensembles/agents/bob.yaml':
    'name: bob\npersona: You are Bob.\nmay_emit: [agent.spoke]\nschedule: { tick_every: 1 }\n',
  'ensembles/agents/cleo.yaml':
    'name: cleo\nrole: judge\npersona: You judge.\nmay_emit: [judge.verdict]\nschedule: { tick_every: 2 }\noutput_extra_fields: [winner]\n',
  'ensembles/scenarios/duel.yaml':
    'name: duel\ntitle: The duel\ngoal: Be the better liar.\ndefault_seed: fog\ncast: [ada, bob, cleo]\ngenesis_text: A pier in {seed}.\ngovernor: { max_turns: 3, max_total_calls: 20 }\ncompetition: { kind: judged }\n',
};

/** Answers as an obedient model would, by the posted schema. */
export function answerObediently(turn: ScriptedTurn): ReturnType<typeof reply.text> {
  const isJudge = turn.system.includes('judge');
  const kind = isJudge ? 'judge.verdict' : 'agent.spoke';
  const extras = isJudge ? { extraFields: ['winner'], winners: ['ada', 'bob'] } : {};
  return reply.text(stubEvent({ allowedKinds: [kind], ...extras, seed: turn.system + turn.userText }));
}
