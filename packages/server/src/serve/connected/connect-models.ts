/**
 * Connections of models while a server runs: checks the address, calls the model once, and lists it. The key is
 * in the memory of this process alone, and its mask knows it.
 */
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { ConnectModelBody } from '@truecast/client/internal/wire/model-connection';
import { smallFetch } from '@truecast/model/internal/call/model-fetch';
import type { RunMask } from '@truecast/host/internal/masking/secret-mask';
import type { Store } from '@truecast/store/internal/database/store';
import type { ServerLog } from '../../log/server-log.ts';
import type { ConnectionCaller, ConnectionResult, ModelConnections } from '../../models/model-connections.ts';
import { RateLimiter } from '../../http/rate-limiter.ts';
import { refuseField } from '../../http/route.ts';
import { connectedName } from '../../models/connected-name.ts';
import type { ModelPlace } from '../../models/resolve-model.ts';
import { writeAudit, type AuditAction } from '../../state/rows/audit-log.ts';
import { FAILURE_CAUSES } from '../../turn/failure-causes.ts';
import type { AddedModels } from './added-models.ts';
import { callOnce, MAX_TEST_REPLY_BYTES } from './call-once.ts';
import type { AddressPolicy } from './check-address.ts';

/** Further ones are refused until one is disconnected. */
const MAX_MODELS = 16;
/** Test calls of one owner. */
const CALLS_PER_MINUTE = 10;

interface ConnectOptions extends AddressPolicy {
  /** Maximum time of a test call in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
}

/** Parts of the process. */
interface Parts {
  readonly models: { readonly added: AddedModels };
  readonly store: Store;
  readonly mask: RunMask;
  readonly log: ServerLog;
}

/** Opens the connections of a process. */
export function openConnections(parts: Parts, options: ConnectOptions): ModelConnections {
  return new OpenConnections(parts, options);
}

class OpenConnections implements ModelConnections {
  readonly #parts: Parts;
  readonly #options: ConnectOptions;
  readonly #meter = new RateLimiter(
    { requestsPerMinute: CALLS_PER_MINUTE, concurrentRequests: 1, openStreams: 0 },
    () => performance.now(),
  );

  constructor(parts: Parts, options: ConnectOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async connect(
    body: ConnectModelBody,
    caller: ConnectionCaller,
    signal: AbortSignal,
  ): Promise<ConnectionResult> {
    const { added } = this.#parts.models;
    const leave = this.#meter.enter(caller.owner, 'requests');
    try {
      const { provider, model: name, api_key: apiKey } = body;
      // Before the first use: every later text of this process masks it, whatever the result is.
      if (apiKey !== undefined) this.#parts.mask.learnValues([apiKey]);
      const place = { provider: provider === 'openai-compatible' ? 'local' : provider, name, apiKey };
      this.#assertRoom(connectedName(place));
      const baseURL = await this.#addressOf(body);
      if (baseURL?.type === 'unknown-host') return UNKNOWN_HOST;
      const known: ModelPlace = { ...place, ...(baseURL !== undefined && { baseURL: baseURL.url }) };
      const tested = await added.make({ ...known, fetch: smallFetch(MAX_TEST_REPLY_BYTES) });
      const { timeoutMs } = this.#options;
      const refused = await callOnce(tested, { signal, mask: this.#parts.mask.mask, timeoutMs });
      if (refused !== undefined) return refused;
      const model = await added.make({ ...known, contextTokens: tested.contextTokens });
      this.#assertRoom(model.id);
      await this.#note('model_connected', model.id, caller);
      added.add(model);
      return { type: 'connected', id: model.id };
    } finally {
      leave();
    }
  }

  async disconnect(id: string, caller: ConnectionCaller): Promise<boolean> {
    const { added } = this.#parts.models;
    if (added.get(id) === undefined) return false;
    await this.#note('model_disconnected', id, caller);
    return added.remove(id);
  }

  /** Undefined for a hosted provider. @throws RequestRefusedError */
  async #addressOf({
    provider,
    address,
    api_key: apiKey,
  }: ConnectModelBody): Promise<
    { readonly type: 'allowed'; readonly url: string } | { readonly type: 'unknown-host' } | undefined
  > {
    if (provider !== 'openai-compatible') {
      if (address !== undefined) throw refuseField('address', 'Is for `openai-compatible` alone.');
      if (apiKey === undefined) throw refuseField('api_key', `Is missing. \`${provider}\` needs a key.`);
      return undefined;
    }
    if (address === undefined) {
      throw refuseField('address', 'Is missing. Send one such as `http://127.0.0.1:11434/v1`.');
    }
    // Imported at first use: its rules are those of the sandbox proxy, which it loads.
    const { checkAddress } = await import('./check-address.ts');
    const checked = await checkAddress(address, this.#options);
    if (checked.type === 'refused') throw refuseField('address', checked.message);
    return checked;
  }

  #assertRoom(id: string): void {
    const { added } = this.#parts.models;
    if (added.get(id) !== undefined || added.list().length < MAX_MODELS) return;
    throw new RequestRefusedError(
      `This process has its ${MAX_MODELS} connected models. Disconnect one, or name models in the configuration.`,
      { code: 'too-many-open' },
    );
  }

  /** Writes the log and the audit log. Neither gets the address or the key. */
  async #note(action: AuditAction, subject: string, { owner, actor }: ConnectionCaller): Promise<void> {
    const { store, log } = this.#parts;
    await store.transaction(({ db }) => writeAudit(db, { action, actor, owner, subject }, Date.now()));
    const message = action === 'model_connected' ? 'A model was connected.' : 'A model was disconnected.';
    log.info(message, { event: action, model: subject });
  }
}

const UNKNOWN_HOST: ConnectionResult = {
  type: 'refused',
  reason: 'no_host',
  message: FAILURE_CAUSES['no-host'].message,
  field: 'address',
};
