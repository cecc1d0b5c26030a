/** Store of the server, for programs that have no dependency on the store's package. */
export { describeStorePlace, openStore } from '@truecast/store';
export type { Store } from '@truecast/store';
