/** Wire format of `response_format`, of its limits and of its dry run. */

/** Response format: a JSON Schema whose root is an object. */
export interface JsonSchemaFormat {
  readonly type: 'json_schema';
  readonly json_schema: {
    /** 1 to 64 letters, digits, underscores and hyphens. */
    readonly name: string;
    /** At most 1,024 bytes. */
    readonly description?: string;
    /** At most 16 KiB of JSON. */
    readonly schema: Readonly<Record<string, unknown>>;
    /** Answers are always validated. `false` is refused. */
    readonly strict?: true;
  };
}

/** An ordinary turn, or one that ends with a validated answer. */
export type ResponseFormatBody = { readonly type: 'text' } | JsonSchemaFormat;

/** Limits of a request. A client can lower the defaults, but not raise them. */
export interface RequestLimitsBody {
  /** Consecutive text-only answers. @default 5 */
  readonly text_only?: number;
  /** Total invalid submissions. @default 5 */
  readonly max_repairs?: number;
  /**
   * Seconds from the acceptance of the request after which it fails, its time in the queue and waits
   * for a failing model included. 1 to 86400. @default none
   */
  readonly deadline_seconds?: number;
}

/** One problem of a request. */
export interface Problem {
  /**
   * Field of the body, such as `response_format.json_schema.name`, or the name of a header or
   * parameter.
   */
  readonly field: string;
  readonly detail: string;
  /** JSON Pointer into the field. */
  readonly pointer?: string;
}

/** A provider's schema mode. */
export type DialectName = 'openai' | 'anthropic' | 'gemini' | 'claude_code' | 'codex' | 'grammar';

/** Result of a dry run. */
export interface DryRunView {
  readonly is_valid: boolean;
  readonly problems: readonly Problem[];
  readonly dialects: readonly {
    readonly dialect: DialectName;
    readonly is_taken: boolean;
    readonly losses: readonly {
      readonly pointer: string;
      readonly keyword: string;
      readonly reason: string;
    }[];
    readonly changes: readonly {
      readonly pointer: string;
      readonly keyword: string;
      readonly form: string;
    }[];
  }[];
}
