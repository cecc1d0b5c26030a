/** Type of a value that is still arriving. Pure. */

/**
 * A value of which any part can still be missing. Strings and arrays can be shorter than the final
 * ones.
 */
export type DeepPartial<TValue> = TValue extends readonly (infer TItem)[]
  ? DeepPartial<TItem>[]
  : TValue extends object
    ? { [TKey in keyof TValue]?: DeepPartial<TValue[TKey]> }
    : TValue;
