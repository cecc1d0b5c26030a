/** Wire format of share links: each one shows one receipt, and expires. */
import {
  array,
  bounded,
  object,
  optional,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { receipt } from './receipt.ts';

const createMembers = {
  /** One minute to 30 days. @default 604800, which are 7 days */
  expires_in_seconds: optional(bounded('integer', { min: 60, max: 2_592_000 })),
};
/** A new share link of a receipt. */
export interface CreateShareBody extends ObjectOf<typeof createMembers> {}
export const createShareBody: Shape<CreateShareBody> = object(createMembers, 'CreateShare');

const shareMembers = { id: string, created_at: time, expires_at: time };
/** A share link, without its key. */
export interface ShareView extends ObjectOf<typeof shareMembers> {}
const shareView: Shape<ShareView> = object(shareMembers, 'Share');

const listMembers = { shares: array(shareView) };
/** Valid share links of a receipt, newest first. */
export interface ShareListView extends ObjectOf<typeof listMembers> {}
export const shareListView: Shape<ShareListView> = object(listMembers, 'ShareList');

const issuedMembers = {
  ...shareMembers,
  /** The address of the link is `/shared#key=` and this key. */
  key: string,
};
/** A new share link with its key, which is sent only here. */
export interface IssuedShareView extends ObjectOf<typeof issuedMembers> {}
export const issuedShareView: Shape<IssuedShareView> = object(issuedMembers, 'IssuedShare');

const sharedMembers = {
  receipt,
  /** The schema as it was sent. */
  schema_text: string,
  /** When the link expires. */
  expires_at: time,
};
/** The receipt of a share link. */
export interface SharedReceiptView extends ObjectOf<typeof sharedMembers> {}
export const sharedReceiptView: Shape<SharedReceiptView> = object(sharedMembers, 'SharedReceipt');
