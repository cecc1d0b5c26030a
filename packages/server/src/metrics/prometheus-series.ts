/** Prometheus text format: counters, gauges and histograms. */

/**
 * Labels of a series. Their values come from tables in the code, never from a client or a model.
 */
export type Labels = Readonly<Record<string, string>>;

/** Name and description of a metric. */
export interface MetricName {
  /** Ends with its unit, such as `_seconds`. A counter's name ends with `_total`. */
  readonly name: string;
  readonly help: string;
}

/** A counter. */
export class Counter {
  readonly #series = new Map<string, number>();
  readonly #about: MetricName;

  constructor(about: MetricName) {
    this.#about = about;
  }

  add(labels: Labels, amount = 1): void {
    const key = labelText(labels);
    this.#series.set(key, (this.#series.get(key) ?? 0) + amount);
  }

  lines(): readonly string[] {
    const { name } = this.#about;
    return [
      ...header(this.#about, 'counter'),
      ...[...this.#series].map(([key, count]) => line(name, key, count)),
    ];
  }
}

interface Counts {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** A histogram with cumulative buckets. */
export class Histogram {
  readonly #series = new Map<string, Counts>();
  readonly #about: MetricName & { readonly bounds: readonly number[] };

  constructor(about: MetricName & { readonly bounds: readonly number[] }) {
    this.#about = about;
  }

  observe(labels: Labels, value: number): void {
    const { bounds } = this.#about;
    const key = labelText(labels);
    const counts = this.#series.get(key) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
    for (const [index, bound] of bounds.entries()) {
      if (value <= bound) counts.buckets[index] = (counts.buckets[index] ?? 0) + 1;
    }
    counts.sum += value;
    counts.count += 1;
    this.#series.set(key, counts);
  }

  lines(): readonly string[] {
    const { name, bounds } = this.#about;
    const bucket = (key: string, bound: string, count: number): string =>
      line(`${name}_bucket`, key === '' ? `le="${bound}"` : `${key},le="${bound}"`, count);
    const rows = [...this.#series].flatMap(([key, { buckets, sum, count }]) => [
      ...bounds.map((bound, index) => bucket(key, String(bound), buckets[index] ?? 0)),
      bucket(key, '+Inf', count),
      line(`${name}_sum`, key, sum),
      line(`${name}_count`, key, count),
    ]);
    return [...header(this.#about, 'histogram'), ...rows];
  }
}

/** Renders a gauge by its labels. */
export function gaugeLines(
  about: MetricName,
  values: readonly { readonly labels?: Labels; readonly value: number }[],
): readonly string[] {
  return [
    ...header(about, 'gauge'),
    ...values.map(({ labels = {}, value }) => line(about.name, labelText(labels), value)),
  ];
}

function header({ name, help }: MetricName, type: 'counter' | 'gauge' | 'histogram'): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',');
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
