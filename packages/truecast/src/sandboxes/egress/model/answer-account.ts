/**
 * Accounting of one model answer in transit: its bytes, its reported usage, and whether that usage
 * is final.
 */
import { Transform } from 'node:stream';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { createModelUsageReader, type ModelUsage, type ModelUsageReader } from './model-usage.ts';

export interface AnswerAccount {
  readonly responseBytes: number;
  /** Marks that the service can have received the request. */
  onConnected(): void;
  /** Reads the head of the answer. Returns a stream for its body. */
  begin(head: { readonly statusCode: number; readonly contentType: string | undefined }): Transform;
  /** Marks the end of the answer. */
  end(): void;
  /** Returns the usage and model reported so far. */
  told(): ModelUsage;
  /** Returns the usage. It is not final if the answer was truncated or reported no usage. */
  used(): { readonly isFinal: boolean; readonly usage?: Usage };
}

const FIRST_UNBILLED_STATUS = 300;

/** Creates the account of an unsent request. */
export function createAnswerAccount(): AnswerAccount {
  return new Account();
}

class Account implements AnswerAccount {
  responseBytes = 0;
  #isConnected = false;
  #isOver = false;
  #isComplete = false;
  #statusCode: number | undefined;
  #reader: ModelUsageReader | undefined;

  onConnected(): void {
    this.#isConnected = true;
  }

  begin({
    statusCode,
    contentType,
  }: {
    readonly statusCode: number;
    readonly contentType: string | undefined;
  }): Transform {
    this.#statusCode = statusCode;
    if (statusCode < FIRST_UNBILLED_STATUS) this.#reader = createModelUsageReader(contentType);
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.responseBytes += chunk.length;
        this.#reader?.push(chunk);
        done(null, chunk);
      },
      flush: (done) => {
        this.#isComplete = true;
        done();
      },
    });
  }

  end(): void {
    this.#isOver = true;
  }

  told(): ModelUsage {
    const { isFinal: _, ...told } = this.#reader?.read() ?? {};
    return told;
  }

  used(): { readonly isFinal: boolean; readonly usage?: Usage } {
    const { usage, isFinal = false } = this.#reader?.read() ?? {};
    const isUnsent = this.#isOver && !this.#isConnected;
    const isRefused = this.#statusCode !== undefined && this.#statusCode >= FIRST_UNBILLED_STATUS;
    const isCounted = usage !== undefined && (isFinal || this.#isComplete);
    return { isFinal: isUnsent || isRefused || isCounted, ...(usage !== undefined && { usage }) };
  }
}
