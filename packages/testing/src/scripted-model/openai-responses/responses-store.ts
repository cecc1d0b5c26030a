/**
 * Stored state of the OpenAI Responses service: responses and items that later requests reference
 * by id.
 */
import type { WireItem } from './responses-items.ts';
import type { WireError } from '../turn/model-wire.ts';
import { readResponsesItem, type ScriptedResponsesItem, type ResponsesRequest } from './responses-request.ts';

/** A request's input with resolved references, or the refusal. */
export type ExpandedInput =
  | { readonly type: 'items'; readonly items: readonly ScriptedResponsesItem[] }
  | { readonly type: 'refusal'; readonly error: WireError };

/** Keeps responses as long as the server runs. */
export interface ResponsesStore {
  expand(request: ResponsesRequest): ExpandedInput;
  /** Stores generated items after those that they answer. */
  keep(responseId: string, input: readonly ScriptedResponsesItem[], output: readonly WireItem[]): void;
}

export function responsesStore(): ResponsesStore {
  const itemsById = new Map<string, ScriptedResponsesItem>();
  const conversationsById = new Map<string, readonly ScriptedResponsesItem[]>();
  return {
    keep: (responseId, input, output) => {
      const made = output.map((raw) => ({ id: raw.id, item: readResponsesItem(raw) }));
      for (const { id, item } of made) itemsById.set(id, item);
      conversationsById.set(responseId, [...input, ...made.map(({ item }) => item)]);
    },
    expand: (request) => {
      const previousId = request.previous_response_id ?? undefined;
      const previous = previousId === undefined ? [] : conversationsById.get(previousId);
      if (previous === undefined) return refuse(400, `Previous response with id '${previousId}' not found.`);
      const items: ScriptedResponsesItem[] = [...previous];
      for (const item of inputItems(request)) {
        const kept = item.type === 'item_reference' ? itemsById.get(item.id) : item;
        if (kept === undefined && item.type === 'item_reference') {
          return refuse(404, `Item with id '${item.id}' not found.`);
        }
        if (kept !== undefined) items.push(kept);
      }
      return { type: 'items', items };
    },
  };
}

function inputItems({ input }: ResponsesRequest): readonly ScriptedResponsesItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

function refuse(statusCode: number, message: string): ExpandedInput {
  const isPrevious = statusCode === 400;
  const param = isPrevious ? 'previous_response_id' : 'input';
  return {
    type: 'refusal',
    error: { statusCode, message, param, ...(isPrevious && { code: 'previous_response_not_found' }) },
  };
}
