/** Options that a batch computes from each item: its repository and its attachments. */
import { resolve } from 'node:path';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertAttachments, type Attachment } from '../attachments/attachment.ts';
import type { BatchInput, BatchItem } from './batch-queue.ts';
import type { NormalizedBatchOptions } from './normalize-batch-options.ts';

/** Options of one item. */
export interface ItemOptions {
  /** Absolute path of a folder in the item's repository. */
  readonly cwd: string;
  readonly attachments: readonly Attachment[] | undefined;
}

/** Returns true if options vary by item. */
export function variesByItem({ batch: { perItem } }: Pick<NormalizedBatchOptions, 'batch'>): boolean {
  return perItem.cwd !== undefined || perItem.attachments !== undefined;
}

/**
 * Returns the options of an item.
 *
 * @throws UsageError with the item's line; other errors of the caller's functions
 */
export function itemOptionsOf(
  normalized: Pick<NormalizedBatchOptions, 'batch' | 'run' | 'cwd'>,
  { input, line }: Pick<BatchItem, 'input' | 'line'>,
): ItemOptions {
  try {
    return readOptions(normalized, input);
  } catch (cause) {
    if (!UsageError.isInstance(cause)) throw cause;
    throw new UsageError(`Input ${line}: ${cause.message}`, { code: cause.code, cause });
  }
}

function readOptions(
  { batch: { perItem }, run, cwd }: Pick<NormalizedBatchOptions, 'batch' | 'run' | 'cwd'>,
  input: BatchInput,
): ItemOptions {
  const place: unknown = perItem.cwd === undefined ? cwd : perItem.cwd(input);
  if (typeof place !== 'string' || place === '') {
    throw new UsageError(
      `Expected \`cwd\` to return the path of a folder, got ${describeValue(place)}. Correct the function or the input.`,
    );
  }
  const attachments = perItem.attachments === undefined ? run.attachments : perItem.attachments(input);
  assertAttachments(attachments);
  return { cwd: resolve(place), attachments };
}
