/** Elements of a chat's answer, read from hints. */
import type { OutputArrayDefinition } from '@truecast/core/internal/output/definition/definition';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import { valueIn } from '@truecast/core/internal/output/judge/judged';
import { JsonReader } from '@truecast/core/internal/output/scan/json-reader';
import { createPartialBuilder, type PartialBuilder } from '@truecast/core/internal/json/scan/partial-builder';
import type { ElementFeed } from '@truecast/core/internal/output/validate/element-feed';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { PartEvent } from '../wire/stream-event.ts';
import { hasSameForm } from './same-form.ts';

/** One text of an answer: of a call of the model. */
interface Draft {
  readonly builder: PartialBuilder;
  readonly reader: JsonReader;
  chars: number;
}

/** Takes the pieces of an answer. A lost piece leaves the rest of its text to the receipt. */
export type TakePiece = (part: PartEvent) => Promise<void>;

interface AnswerTarget {
  readonly output: OutputArrayDefinition<unknown>;
  /** Takes the answer out of its wrapper. */
  readonly inverse: (value: unknown) => unknown;
}

/** Reads the answer to one request. */
export function readElements(feed: ElementFeed, { output, inverse }: AnswerTarget): TakePiece {
  const schema = outputJsonSchema(output);
  const isSame = isRecord(schema) && hasSameForm(schema['items']);
  let draft: Draft | undefined;
  return async ({ kind, delta, offset }) => {
    // A text can have the form of a provider's schema mode. Arguments of a call have the schema's own.
    if (offset === undefined || (kind === 'text' && !isSame)) return;
    if (offset === 0) {
      const builder = createPartialBuilder();
      draft = { builder, reader: new JsonReader(builder), chars: 0 };
      feed.begin();
    }
    if (draft === undefined || offset !== draft.chars) {
      draft = undefined;
      return;
    }
    draft.reader.read(delta, 0, delta.length);
    draft.chars += delta.length;
    const { value } = draft.builder;
    const list = inverse(kind === 'text' ? value : valueIn(value));
    if (draft.reader.isDead || !Array.isArray(list)) return;
    await feed.take(list, (item) => item);
  };
}
