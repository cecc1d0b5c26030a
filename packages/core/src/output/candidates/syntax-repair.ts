/** Kinds of repairs of broken JSON. Each has only one reading (ADR 0013). Pure. */

/** One kind of repair. Reported once, however often it was applied. */
export type SyntaxRepair =
  | 'bare-key'
  | 'comment'
  | 'cut-off'
  | 'escape'
  | 'inner-quotes'
  | 'missing-comma'
  | 'python-literal'
  | 'quotes'
  | 'raw-newline'
  | 'trailing-comma';
