/** Wire format of the list of requests. Types only: the server has the Zod schemas. */
import type { Receipt } from './receipt.ts';

/** A request in a list: its receipt without the value. */
export interface RequestView extends Omit<Receipt, 'value' | 'value_text'> {
  readonly chat_id: string;
  /** Absent until the message has left the queue. */
  readonly message_id?: number;
  readonly created_at: string;
  readonly started_at?: string;
  readonly ended_at?: string;
}

/** A page of requests, newest first. */
export interface RequestPageView {
  readonly requests: readonly RequestView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A request with its receipt and its schema. */
export interface RequestDetailView {
  readonly request: RequestView;
  readonly receipt: Receipt;
  /** The `response_format` as it was sent. */
  readonly schema_text: string;
}
