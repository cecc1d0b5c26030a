/**
 * Proof on a real inference engine: which share of answers each library gets from it. Run by `npm
 * run proof:engine -- [--model weights.gguf | --url http://127.0.0.1:8080/v1 --model NAME | --older]
 * [--seeds 2] [--first-seed 1] [--requests 1000] [--schemas 40] [--legs auto,wire] [--ensemble] [--misbehaviours]
 * [--threads 1] [--no-seconds] [--lost] [--save counts.jsonl]`.
 *
 * Without `--url` it starts `$TRUECAST_LLAMA_SERVER`, else `../shared/models/llama-server`, with the
 * model beside it or that of `--model`. Without both, it makes a small model and loads it with
 * `node-llama-cpp`. `--older` asks an imitated server of llama-cpp-python, which ends with what its
 * converter cannot read. With `--requests`, each leg is asked again with the next seed until the engine
 * got so many requests.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Asker } from './askers/asker.ts';
import { EVENT_ASKER } from './askers/event-asker.ts';
import { OUR_ASKERS } from './askers/our-askers.ts';
import { PEER_ASKERS } from './askers/peer-askers.ts';
import { SERVER_ASKERS } from './askers/server-askers.ts';
import { countingProxy, type CountingProxy } from './counting-proxy.ts';
import { FORM_CASES } from './form-cases.ts';
import { startMadeEngine } from './made-engine.ts';
import { startOlderEngine, type OlderEngine } from './older/older-engine.ts';
import { playEnsemble } from './play-ensemble.ts';
import { playMisbehaviours } from './play-misbehaviours.ts';
import { addLegs, legTable, runLeg, type LegCounts, type LegResult } from './run-leg.ts';
import { findEngine, startEngine, type RunningEngine } from './start-engine.ts';

const ASKERS: readonly Asker[] = [...OUR_ASKERS, EVENT_ASKER, ...PEER_ASKERS, ...SERVER_ASKERS];

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    model: { type: 'string' },
    seeds: { type: 'string', default: '2' },
    'first-seed': { type: 'string', default: '1' },
    requests: { type: 'string' },
    threads: { type: 'string' },
    schemas: { type: 'string', default: String(FORM_CASES.length) },
    legs: { type: 'string', default: ASKERS.map(({ id }) => id).join(',') },
    'no-seconds': { type: 'boolean', default: false },
    older: { type: 'boolean', default: false },
    lost: { type: 'boolean', default: false },
    ensemble: { type: 'boolean', default: false },
    misbehaviours: { type: 'boolean', default: false },
    save: { type: 'string' },
  },
});

await prove();
// The made engine keeps threads.
process.exit(0);

async function prove(): Promise<void> {
  await using engine = await openEngine();
  await using proxy = await countingProxy(engine.url);
  const results = await askAll(engine, proxy);
  say(`\n${legTable(results, { hasSeconds: !values['no-seconds'] })}`);
  if (values.ensemble) say(await playEnsemble({ url: proxy.url, model: engine.model }));
  const misbehaviours = values.misbehaviours ? await playMisbehaviours() : [];
  for (const { line } of misbehaviours) say(line);
  const wrong = results.filter((result) => result.wrong > 0 && !isPeer(result.id));
  for (const { title, wrong: count } of wrong) {
    say(`${title} returned ${count} values that break their schema.`);
  }
  const isEnded = (await engine.isAlive?.()) === false;
  if (isEnded) say('The engine ended: its converter could not read a schema.');
  if (wrong.length > 0 || isEnded || misbehaviours.some(({ isWorse }) => isWorse)) process.exit(1);
}

/** Asks each leg with each seed, in rounds, so that a run that is stopped has all legs. */
async function askAll(engine: RunningEngine, proxy: CountingProxy): Promise<readonly LegResult[]> {
  const most = values.requests === undefined ? undefined : countOf('requests', values.requests);
  const seeds = most === undefined ? countOf('seeds', values.seeds) : most;
  const forms = FORM_CASES.slice(0, countOf('schemas', values.schemas));
  const askers = values.legs.split(',').map(askerOf);
  say(`${engine.name}, model ${engine.model}: ${forms.length} schemas.\n`);
  const results = new Map<string, LegResult>();
  let requests = 0;
  const first = countOf('first-seed', values['first-seed']);
  for (let seed = first; seed < first + seeds && requests < (most ?? Infinity); seed += 1) {
    for (const asker of askers) {
      const onCounted = (counts: LegCounts): void => save({ id: asker.id, seed, ...counts });
      const apiKey = process.env['TRUECAST_API_KEY'];
      const plan = { forms, seeds: 1, firstSeed: seed, model: engine.model, apiKey, onCounted };
      const result = await runLeg(asker, proxy, plan);
      results.set(asker.id, addLegs(results.get(asker.id), result));
      requests += result.calls;
      const counts = `${result.accepted} of ${result.asked}, ${result.seconds.toFixed(0)} s, ${requests} requests so far`;
      say(`seed ${seed}, ${asker.title}: ${counts}`);
      if (values.lost) say(`  ${[...result.lost].map(([name, times]) => `${name} ${times}`).join(', ')}`);
      if (requests >= (most ?? Infinity)) break;
    }
  }
  return [...results.values()];
}

function save(counts: object): void {
  if (values.save !== undefined) appendFileSync(values.save, `${JSON.stringify(counts)}\n`);
}

async function openEngine(): Promise<RunningEngine & Partial<OlderEngine>> {
  if (values.older) return startOlderEngine();
  if (values.url !== undefined) {
    const model = values.model ?? 'default';
    const name = new URL(values.url).host;
    return { name, url: values.url, model, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const files = findEngine(process.env, values.model);
  const threads = values.threads === undefined ? {} : { threads: countOf('threads', values.threads) };
  if (files !== undefined) return startEngine(files, threads);
  say('No llama-server: set $TRUECAST_LLAMA_SERVER, or pass --url. A made model answers instead.');
  return startMadeEngine();
}

function askerOf(id: string): Asker {
  const found = ASKERS.find((asker) => asker.id === id);
  if (found !== undefined) return found;
  throw new Error(`There is no leg ${id}. Legs: ${ASKERS.map((asker) => asker.id).join(', ')}.`);
}

function isPeer(id: string): boolean {
  return PEER_ASKERS.some((asker) => asker.id === id);
}

function countOf(flag: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Error(`Expected --${flag} to be a whole number of 1 or more, got ${text}.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
