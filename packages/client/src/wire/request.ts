/** Wire format of the list of requests. Types only: the server has the Zod schemas. */
import type { Receipt } from './receipt.ts';

/** A request in a list: its receipt without the value. */
export interface RequestView extends Omit<Receipt, 'value' | 'value_text'> {
  readonly chat_id: string;
  /** First 160 characters of the value as JSON. Only with `preview=true`. */
  readonly value_preview?: string;
  readonly created_at: string;
}

/** A page of requests, newest first. */
export interface RequestPageView {
  readonly requests: readonly RequestView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A schema that an owner's requests used. */
export interface SchemaUseView {
  /** SHA-256 of the canonical JSON of the schema, in hex. */
  readonly hash: string;
  /** Name in the last request. Absent for requests of an older version. */
  readonly name?: string;
  readonly first_used_at: string;
  readonly last_used_at: string;
  readonly requests: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

/** A page of schemas, the last used first. */
export interface SchemaPageView {
  readonly schemas: readonly SchemaUseView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A schema with its text. */
export interface SchemaDetailView extends SchemaUseView {
  /** The JSON Schema as the last request sent it. */
  readonly schema_text: string;
}

/** A request with its receipt and its schema. */
export interface RequestDetailView {
  readonly request: RequestView;
  readonly receipt: Receipt;
  /** The `response_format` as it was sent. */
  readonly schema_text: string;
}
