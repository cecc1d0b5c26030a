/** Names of schema modes. */
import type { DialectReport } from '@truecast/server/internal/format/dry-run';

/** Names a schema mode by its providers. `grammar` is for servers of unknown make. */
export function nameDialect(dialect: DialectReport['dialect']): string {
  return dialect === 'grammar' ? 'other servers' : dialect.replaceAll('_', ' ');
}
