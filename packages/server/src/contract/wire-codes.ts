/** Table of codes as the server uses it: library codes, and their form on the wire. Pure. */
export {
  DIALECT_NAMES,
  FINISH_REASONS,
  PROBLEM_CODES,
  REPAIR_CODES,
} from '@truecast/client/internal/wire/wire-codes';
export type { ProblemCode } from '@truecast/client/internal/wire/wire-codes';
