/**
 * Profiles of local engines: each is asked once in the background, kept in the state folder, and
 * taught to the ladder of modes.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ensurePrivateFolder, stateHome } from '@truecast/host/internal/state-home';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { ENGINE_ABILITIES } from '@truecast/model/internal/engine/engine-questions';
import { profileEngine, type EngineProfile } from '@truecast/model/internal/engine/profile-engine';
import { learnProfile } from '@truecast/model/internal/ladder/engine';
import type { LadderStep } from '@truecast/model/internal/ladder/ladder';
import type { ChatModel } from '../models/chat-model.ts';
import type { OpenWorker } from './open-worker.ts';

/** When and for whom engines are asked. */
export interface ProfilePlan {
  /** Delay before the first question: an engine has few places, and the first turns take precedence. */
  readonly afterMs: number;
  readonly onProfile: (profile: EngineProfile) => void;
  readonly signal: AbortSignal;
}

const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/** After the start, the first turns take precedence. */
const AFTER_START_MS = 30_000;

/** Profiles the models of a server in the background, and logs each profile. Call the result to stop. */
export function profileModels({ models, log }: Pick<OpenWorker, 'models' | 'log'>): () => void {
  const stop = new AbortController();
  const onProfile = ({ model, abilities, stopsRequests }: EngineProfile): void => {
    const held = ENGINE_ABILITIES.filter((ability) => abilities[ability] === 'holds');
    log.info('Engine profiled.', {
      event: 'engine_profile',
      model: `local:${model}`,
      held,
      stops_requests: stopsRequests,
    });
  };
  void Promise.all(models.list().map((id) => models.find(id)))
    .then((found) => profileEngines(found, { afterMs: AFTER_START_MS, onProfile, signal: stop.signal }))
    .catch(() => undefined);
  return () => stop.abort();
}

/** Profiles each local engine of the models. Rejects with the signal's reason. */
export async function profileEngines(
  models: readonly ChatModel[],
  { afterMs, onProfile, signal }: ProfilePlan,
): Promise<void> {
  let isWaited = false;
  for (const { model, engine } of models) {
    if (engine === undefined) continue;
    const path = pathOf(engine);
    const kept = await readKept(path);
    if (kept !== undefined) {
      teach(model, kept);
      continue;
    }
    if (!isWaited) await sleep(afterMs, undefined, { signal, ref: false });
    isWaited = true;
    // An engine that cannot be reached is asked by the next start.
    const profile = await profileEngine({ ...engine, signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (profile === undefined) continue;
    teach(model, profile);
    await keep(path, profile);
    onProfile(profile);
  }
}

const STEPS: readonly (readonly [LadderStep, keyof EngineProfile['abilities']])[] = [
  ['schema', 'schema'],
  ['object', 'schema-in-json-mode'],
  ['named', 'named-tool'],
  ['required', 'required-tool'],
  ['json', 'json-mode'],
];

function teach(model: ChatModel['model'], { abilities }: Pick<EngineProfile, 'abilities'>): void {
  const ofState = (holds: boolean): readonly LadderStep[] =>
    STEPS.flatMap(([step, ability]) => ((abilities[ability] === 'holds') === holds ? [step] : []));
  learnProfile(model, { proven: ofState(true), dropped: ofState(false) });
}

function pathOf({ url, model }: NonNullable<ChatModel['engine']>): string {
  const hash = createHash('sha256').update(`${url}\n${model}`).digest('hex').slice(0, 24);
  return join(ensurePrivateFolder(join(stateHome(), 'engines')), `${hash}.json`);
}

const KEPT = z.object({
  at: z.iso.datetime(),
  abilities: z.record(z.enum(ENGINE_ABILITIES), z.enum(['holds', 'ignores', 'refuses'])),
});

async function readKept(path: string): Promise<Pick<EngineProfile, 'abilities'> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const parsed = parseJson(text);
  const kept = parsed.success ? KEPT.safeParse(parsed.value).data : undefined;
  return kept !== undefined && Date.now() - Date.parse(kept.at) < KEPT_DAYS * DAY_MS ? kept : undefined;
}

async function keep(path: string, profile: EngineProfile): Promise<void> {
  const text = JSON.stringify({ at: new Date().toISOString(), ...profile }, undefined, 2);
  await writeFile(`${path}.${process.pid}`, `${text}\n`, { mode: 0o600 });
  await rename(`${path}.${process.pid}`, path);
}
