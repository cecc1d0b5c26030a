/** Owns the type of a value that is still arriving. Pure. */

/** A value of which any part may be missing yet; strings and arrays may be shorter than they will be. */
export type DeepPartial<TValue> = TValue extends readonly (infer TItem)[]
  ? DeepPartial<TItem>[]
  : TValue extends object
    ? { [TKey in keyof TValue]?: DeepPartial<TValue[TKey]> }
    : TValue;
