/** Tests of A0: the verdicts of the table of replies, and of a table of events, through each whole route. */
import { expect } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { REPLIES, type TableReply } from '../answers/replies.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { play } from './played-reply.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { say, type AnsweringRoute } from './said-by-agent.ts';

/** `test/answers/` plays all replies, without the ends of each route. */
const SAMPLE: readonly string[] = [
  'exact',
  'a fence',
  'encoded twice',
  'an envelope',
  'a sentence before it',
  'a key too many',
  'a draft before a broken answer',
  'a cut object',
];
const TEXTS = REPLIES.filter(
  ({ place, ending, name }) => place === 'text' && ending === 'stop' && SAMPLE.includes(name),
);

type Verdicts = Readonly<Record<string, string>>;

/** Returns the verdict on each reply by its name. */
async function verdictsOf(accepts: (given: TableReply) => Promise<boolean>): Promise<Verdicts> {
  const verdicts: Record<string, string> = {};
  for (const given of TEXTS) verdicts[given.name] = (await accepts(given)) ? 'accepted' : 'refused';
  return verdicts;
}

const expected = (level: 'strict' | 'tagged'): Verdicts =>
  Object.fromEntries(TEXTS.map((given) => [given.name, given[level]]));

async function judgeReplies(route: ModelRouteName): Promise<void> {
  const verdicts = await verdictsOf(async ({ said }) => (await play(route, reply.text(said)))[0]);
  expect(verdicts).toEqual(expected('strict'));
}

async function judgeTagged(route: AnsweringRoute): Promise<void> {
  const verdicts = await verdictsOf(
    async ({ said }) => (await say(route, `So: <result>${said}</result>`)).isAccepted,
  );
  expect(verdicts).toEqual(expected('tagged'));
}

const EVENT = '{"kind":"agent.spoke","text":"Forty-two gulls sit on the pier."}';
const EVENTS: Readonly<Record<string, boolean>> = {
  [EVENT]: true,
  [`\`\`\`json\n${EVENT}\n\`\`\``]: true,
  [`Here: ${EVENT}`]: true,
  [EVENT.replace('kind', 'Kind').replace('text', 'Text')]: true,
  [`{"output":${EVENT}}`]: true,
  [`${EVENT}\nNo, better:\n${EVENT.replace(':', '')}`]: false,
  '{"kind":"agent.spoke"': false,
  '{"kind":"agent.spoke","text":"..."}': false,
  '{"answer":42}': false,
};

async function judgeEvents(): Promise<void> {
  const verdicts: Record<string, boolean> = {};
  for (const said of Object.keys(EVENTS)) verdicts[said] = (await play('ensemble', reply.text(said)))[0];
  expect(verdicts).toEqual(EVENTS);
}

declareGuarantee('A0', {
  'run/none': () => judgeTagged('run/none'),
  'run/bubblewrap': () => judgeTagged('run/bubblewrap'),
  'run/podman': () => judgeTagged('run/podman'),
  kept: () => judgeTagged('kept'),
  batch: () => judgeTagged('batch'),
  generate: () => judgeReplies('generate'),
  ensemble: judgeEvents,
  chat: () => judgeReplies('chat'),
  wire: () => judgeReplies('wire'),
  runs: inBubblewrap(() => judgeTagged('runs')),
  command: () => judgeTagged('command'),
});
