/** Names of schema modes. */
import type { DialectName } from '@truecast/client/internal/wire/response-format';

/** Names a schema mode by its providers. `grammar` is for servers of unknown make. */
export function nameDialect(dialect: DialectName): string {
  return dialect === 'grammar' ? 'other servers' : dialect.replaceAll('_', ' ');
}
