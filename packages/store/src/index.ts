/** Exports of `@truecast/store`. */
export type { Store, StoreWarning } from './database/store.ts';
export { describeStorePlace, openStore } from './open-store.ts';
export type { StoreOptions } from './open-store.ts';
