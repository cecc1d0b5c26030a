/** Generates a number for a JSON Schema: its limits and its multiples. Pure. */
const PREFERRED = 42;

/** Returns a number. `variant` makes it different, for lists of unique items. */
export function sampleNumber(schema: Readonly<Record<string, unknown>>, variant: number): number {
  const isInteger = schema['type'] === 'integer';
  const step = numberOf(schema, 'multipleOf') ?? (isInteger ? 1 : undefined);
  const lowest = lowestOf(schema, step ?? 0.5);
  const highest = highestOf(schema, step ?? 0.5);
  const wanted = Math.min(highest, Math.max(lowest, PREFERRED) + variant * (step ?? 1));
  if (step === undefined) return wanted >= lowest ? wanted : lowest;
  const down = Math.floor(wanted / step) * step;
  const value = down >= lowest ? down : Math.ceil(lowest / step) * step;
  // `0.1 * 3` is not 0.3.
  return Number(value.toPrecision(12));
}

function lowestOf(schema: Readonly<Record<string, unknown>>, step: number): number {
  const exclusive = numberOf(schema, 'exclusiveMinimum');
  return Math.max(
    numberOf(schema, 'minimum') ?? -Infinity,
    exclusive === undefined ? -Infinity : exclusive + step,
  );
}

function highestOf(schema: Readonly<Record<string, unknown>>, step: number): number {
  const exclusive = numberOf(schema, 'exclusiveMaximum');
  return Math.min(
    numberOf(schema, 'maximum') ?? Infinity,
    exclusive === undefined ? Infinity : exclusive - step,
  );
}

function numberOf(schema: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
}
