/** Types of the notes of an operation in the API reference. */
import type { ProblemCode } from '../../contract/wire-codes.ts';

/** Groups of operations, in the order of the reference. */
export const OPERATION_TAGS = [
  'Chats',
  'Messages',
  'Turn',
  'Stream',
  'Requests',
  'Schemas',
  'Quality',
  'Runs',
  'Ensembles',
  'OpenAI',
  'Account',
  'Server',
  'OpenAI',
] as const;

export type OperationTag = (typeof OPERATION_TAGS)[number];

/** Text of the reference about an operation, in addition to its schemas. */
export interface OperationNotes {
  readonly tag: OperationTag;
  /** Purpose of the operation, and its effects. */
  readonly description: string;
  /** Example of a body. Required if the operation has one. */
  readonly body?: unknown;
  /** Example of a successful response. Required if it has content. */
  readonly answer?: unknown;
  /** Codes in addition to those that follow from the operation's form. */
  readonly problems?: readonly ProblemCode[];
}
