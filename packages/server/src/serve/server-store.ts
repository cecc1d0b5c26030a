/** Place of the server's store, for programs that have no dependency on the store's package. */
export { describeStorePlace } from '@truecast/store';
