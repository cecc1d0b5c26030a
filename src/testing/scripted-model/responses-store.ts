/** Owns what the OpenAI Responses service remembers between calls: responses and items that a later request names by id. */
import type { WireItem } from './responses-items.ts';
import type { WireError } from './model-wire.ts';
import { readResponsesItem, type ResponsesItem, type ResponsesRequest } from './responses-request.ts';

/** The input of a request with all that it refers to, or why it cannot be had. */
export type ExpandedInput =
  | { readonly type: 'items'; readonly items: readonly ResponsesItem[] }
  | { readonly type: 'refusal'; readonly error: WireError };

/** Keeps responses for the life of a server. */
export interface ResponsesStore {
  expand(request: ResponsesRequest): ExpandedInput;
  /** Keeps the items that the service made, after those that they answer. */
  keep(responseId: string, input: readonly ResponsesItem[], output: readonly WireItem[]): void;
}

/** Makes an empty store. */
export function responsesStore(): ResponsesStore {
  const itemsById = new Map<string, ResponsesItem>();
  const conversationsById = new Map<string, readonly ResponsesItem[]>();
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
      const items: ResponsesItem[] = [...previous];
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

function inputItems({ input }: ResponsesRequest): readonly ResponsesItem[] {
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
