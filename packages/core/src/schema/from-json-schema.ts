/** Type inference: the type of the values that a JSON Schema literal describes. Pure. */

/**
 * Type that a JSON Schema literal describes. Supports `type` (also a list), `properties`,
 * `required`, `additionalProperties`, `items`, `prefixItems`, `enum`, `const`, `allOf`, `anyOf`,
 * `oneOf`, and `$ref` to the root, `$defs` and `definitions`. Unsupported parts are `unknown`.
 *
 * @example
 * ```ts
 * type Title = FromJsonSchema<{ type: 'object'; properties: { title: { type: 'string' } }; required: ['title'] }>; // { title: string }
 * ```
 */
export type FromJsonSchema<TSchema> = Infer<TSchema, TSchema>;

type Infer<TSchema, TRoot> = TSchema extends boolean
  ? [TSchema] extends [false]
    ? never
    : unknown
  : InferConst<TSchema> &
      InferEnum<TSchema> &
      InferRef<TSchema, TRoot> &
      InferAllOf<TSchema, TRoot> &
      InferAlternatives<TSchema, 'anyOf', TRoot> &
      InferAlternatives<TSchema, 'oneOf', TRoot> &
      InferType<TSchema, TRoot>;

type InferConst<TSchema> = TSchema extends { readonly const: infer TValue } ? Mutable<TValue> : unknown;

type InferEnum<TSchema> = TSchema extends { readonly enum: readonly (infer TValue)[] }
  ? Mutable<TValue>
  : unknown;

type InferRef<TSchema, TRoot> = TSchema extends { readonly $ref: infer TReference }
  ? TReference extends '#'
    ? Infer<TRoot, TRoot>
    : TReference extends `#/${infer TPlace extends '$defs' | 'definitions'}/${infer TName}`
      ? TRoot extends { readonly [key in TPlace]: { readonly [key in TName]: infer TTarget } }
        ? Infer<TTarget, TRoot>
        : unknown
      : unknown
  : unknown;

type InferAllOf<TSchema, TRoot> = TSchema extends { readonly allOf: infer TSchemas }
  ? InferEach<TSchemas, TRoot>
  : unknown;

type InferEach<TSchemas, TRoot> = TSchemas extends readonly [infer TFirst, ...infer TRest]
  ? Infer<TFirst, TRoot> & InferEach<TRest, TRoot>
  : unknown;

type InferAlternatives<TSchema, TKeyword extends string, TRoot> = TSchema extends {
  readonly [key in TKeyword]: readonly (infer TAlternative)[];
}
  ? InferUnion<TAlternative, TRoot>
  : unknown;

/** Distributes over the alternatives: each is inferred separately. */
type InferUnion<TAlternative, TRoot> = TAlternative extends unknown ? Infer<TAlternative, TRoot> : never;

type InferType<TSchema, TRoot> = TSchema extends { readonly type: infer TType }
  ? TType extends readonly (infer TName)[]
    ? InferNamed<TName, TSchema, TRoot>
    : InferNamed<TType, TSchema, TRoot>
  : unknown;

type InferNamed<TName, TSchema, TRoot> = TName extends 'string'
  ? string
  : TName extends 'number' | 'integer'
    ? number
    : TName extends 'boolean'
      ? boolean
      : TName extends 'null'
        ? null
        : TName extends 'array'
          ? InferArray<TSchema, TRoot>
          : TName extends 'object'
            ? InferObject<TSchema, TRoot>
            : unknown;

type InferArray<TSchema, TRoot> = TSchema extends {
  readonly prefixItems: infer TPrefix extends readonly unknown[];
}
  ? [...InferPrefix<TPrefix, TSchema, TRoot>, ...InferRest<TSchema, TRoot>]
  : InferRest<TSchema, TRoot>;

/** Items of a prefix are optional, unless `minItems` requires all of them. */
type InferPrefix<TPrefix extends readonly unknown[], TSchema, TRoot> = TSchema extends {
  readonly minItems: TPrefix['length'];
}
  ? InferTuple<TPrefix, TRoot>
  : Partial<InferTuple<TPrefix, TRoot>>;

type InferTuple<TPrefix extends readonly unknown[], TRoot> = TPrefix extends readonly [
  infer TFirst,
  ...infer TRest,
]
  ? [Infer<TFirst, TRoot>, ...InferTuple<TRest, TRoot>]
  : [];

type InferRest<TSchema, TRoot> = TSchema extends { readonly items: infer TItems }
  ? TItems extends false
    ? []
    : Infer<TItems, TRoot>[]
  : unknown[];

type InferObject<TSchema, TRoot> = TSchema extends { readonly properties: infer TProperties }
  ? Flatten<
      {
        -readonly [TKey in keyof TProperties as TKey extends RequiredOf<TSchema> ? TKey : never]: Infer<
          TProperties[TKey],
          TRoot
        >;
      } & {
        -readonly [TKey in keyof TProperties as TKey extends RequiredOf<TSchema> ? never : TKey]?: Infer<
          TProperties[TKey],
          TRoot
        >;
      } & { [TKey in Exclude<RequiredOf<TSchema>, keyof TProperties>]: unknown }
    >
  : Flatten<InferRecord<TSchema, TRoot> & { [TKey in RequiredOf<TSchema>]: unknown }>;

type RequiredOf<TSchema> = TSchema extends { readonly required: readonly (infer TName extends string)[] }
  ? TName
  : never;

type InferRecord<TSchema, TRoot> = TSchema extends { readonly additionalProperties: infer TAdditional }
  ? { [key: string]: Infer<TAdditional, TRoot> }
  : { [key: string]: unknown };

type Mutable<TValue> = TValue extends object
  ? { -readonly [TKey in keyof TValue]: Mutable<TValue[TKey]> }
  : TValue;

type Flatten<TObject> = { [TKey in keyof TObject]: TObject[TKey] };
