/** Mark of a statement that is not awaited: a comment at its end, which the Postgres pool removes. */

/** The mark. */
export const UNAWAITED = '/* unawaited */';
