/** Whether this page can connect a model. Pure. */
import type { MeView } from '@truecast/client/internal/wire/account';

/** Returns true if the token and the server allow it. */
export function canConnect(me: MeView | undefined): boolean {
  return me?.features.connect_models === true && me.scopes.includes('admin');
}
