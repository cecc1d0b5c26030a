/** Notification listener: one LISTEN connection, reopened after each loss. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import type { Listeners } from '../database/listeners.ts';
import type { StoreWarning } from '../database/store.ts';
import { toPostgresStoreError } from './postgres-error.ts';
import { CLIENT_OPTIONS } from './postgres-pool.ts';

/** The Postgres channel for all notifications. */
export const POSTGRES_CHANNEL = 'truecast';
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** Interval of a keep-alive query, which detects a silently lost connection. */
const PROBE_EVERY_MS = 20_000;

const noticeSchema = z.tuple([z.string(), z.string()]);

/** Listens until the store closes. */
export class PostgresListener {
  readonly #url: string;
  readonly #listeners: Listeners;
  readonly #warn: (warning: StoreWarning) => void;
  readonly #closed = new AbortController();
  #client: Client | undefined;

  constructor(url: string, listeners: Listeners, warn: (warning: StoreWarning) => void) {
    this.#url = url;
    this.#listeners = listeners;
    this.#warn = warn;
  }

  /** Resolves when the connection listens, so that no later notification is missed. */
  async open(): Promise<void> {
    try {
      this.#client = await this.#connect();
    } catch (error) {
      throw toPostgresStoreError(error, 'Could not listen for Postgres notifications');
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<Client> {
    const client = new Client({ ...CLIENT_OPTIONS, connectionString: this.#url, query_timeout: 10_000 });
    let isOpen = false;
    const onEnd = (cause?: unknown): void => {
      if (isOpen) void this.#reconnect(cause);
      isOpen = false;
    };
    client.on('error', onEnd);
    client.on('end', onEnd);
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    try {
      await client.connect();
      await client.query(`listen ${POSTGRES_CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    isOpen = true;
    this.#probe(client, onEnd);
    return client;
  }

  async #reconnect(cause: unknown): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#warn({
      message: 'The connection that listens for Postgres notifications was lost; reconnecting',
      cause,
    });
    await this.#client?.end().catch(() => {});
    for (
      let pauseMs = FIRST_PAUSE_MS;
      !this.#closed.signal.aborted;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    ) {
      try {
        await sleep(pauseMs, undefined, { signal: this.#closed.signal, ref: false });
        this.#client = await this.#connect();
        if (this.#closed.signal.aborted) await this.#client.end();
        else this.#listeners.tellMissed();
        return;
      } catch {
        // The server is still unreachable: the next round retries.
      }
    }
  }

  #probe(client: Client, onLost: (cause: unknown) => void): void {
    const timer = setInterval(() => {
      client.query('select 1').catch(onLost);
    }, PROBE_EVERY_MS);
    timer.unref();
    client.on('end', () => clearInterval(timer));
    client.on('error', () => clearInterval(timer));
  }

  #hear(text: string): void {
    const notice = noticeSchema.safeParse(parseJson(text));
    if (notice.success) this.#listeners.tell(...notice.data);
    else {
      this.#warn({
        message: `Ignored an unknown notification on \`${POSTGRES_CHANNEL}\``,
        cause: notice.error,
      });
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Any user of the database can notify on the channel. The schema rejects foreign payloads.
    return undefined;
  }
}
