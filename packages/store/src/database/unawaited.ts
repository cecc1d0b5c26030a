/** Mark of a statement that is not awaited: a comment at its end, which the Postgres pool removes. */

export const UNAWAITED = '/* unawaited */';
