/** Wire format of the list of requests, and of the schemas that they used. */
import {
  array,
  count,
  object,
  optional,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { evidenceMembers, receipt, receiptMembers } from './receipt.ts';

const { value: _value, value_text: _text, ...facts } = receiptMembers;
const requestMembers = {
  ...facts,
  chat_id: string,
  /** First 160 characters of the value as JSON. Only with `preview=true`. */
  value_preview: optional(string),
  ...evidenceMembers,
  created_at: time,
};
/** A request in a list: its receipt without the value. */
export interface RequestView extends ObjectOf<typeof requestMembers> {}
export const requestView: Shape<RequestView> = object(requestMembers, 'Request');

const pageMembers = {
  requests: array(requestView),
  /** `after` of the next page. Absent on the last one. */
  next: optional(string),
};
/** A page of requests, newest first. */
export interface RequestPageView extends ObjectOf<typeof pageMembers> {}
export const requestPageView: Shape<RequestPageView> = object(pageMembers, 'RequestPage');

const useMembers = {
  /** SHA-256 of the canonical JSON of the schema, in hex. */
  hash: string,
  /** Name in the last request. */
  name: optional(string),
  first_used_at: time,
  last_used_at: time,
  requests: count,
  succeeded: count,
  failed: count,
  canceled: count,
};
/** A schema that an owner's requests used. */
export interface SchemaUseView extends ObjectOf<typeof useMembers> {}
const schemaUseView: Shape<SchemaUseView> = object(useMembers, 'SchemaUse');

const schemaPageMembers = {
  schemas: array(schemaUseView),
  /** `after` of the next page. Absent on the last one. */
  next: optional(string),
};
/** A page of schemas, the last used first. */
export interface SchemaPageView extends ObjectOf<typeof schemaPageMembers> {}
export const schemaPageView: Shape<SchemaPageView> = object(schemaPageMembers, 'SchemaPage');

const schemaDetailMembers = {
  ...useMembers,
  /** The JSON Schema as the last request sent it. */
  schema_text: string,
};
/** A schema with its text. */
export interface SchemaDetailView extends ObjectOf<typeof schemaDetailMembers> {}
export const schemaDetailView: Shape<SchemaDetailView> = object(schemaDetailMembers, 'SchemaDetail');

const detailMembers = {
  request: requestView,
  receipt,
  /** The `response_format` as it was sent. */
  schema_text: string,
};
/** A request with its receipt and its schema. */
export interface RequestDetailView extends ObjectOf<typeof detailMembers> {}
export const requestDetailView: Shape<RequestDetailView> = object(detailMembers, 'RequestDetail');
