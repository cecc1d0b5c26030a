/** Owns the server's counters, and writing them as Prometheus reads them. Nothing in them tells of one owner. */

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;

interface RouteCounts {
  readonly buckets: number[];
  sumSeconds: number;
  count: number;
}

/** Counts what the server does. */
export class ServerMetrics {
  private readonly requests = new Map<string, number>();
  private readonly durations = new Map<string, RouteCounts>();
  openStreams = 0;

  /** Counts a request that was answered. `route` is its pattern, never its address. */
  observe(method: string, route: string, status: number, seconds: number): void {
    const key = `method="${method}",route="${route}",status="${status}"`;
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
    const name = `method="${method}",route="${route}"`;
    const counts = this.durations.get(name) ?? {
      buckets: BUCKETS_SECONDS.map(() => 0),
      sumSeconds: 0,
      count: 0,
    };
    for (const [index, bound] of BUCKETS_SECONDS.entries()) {
      if (seconds <= bound) counts.buckets[index] = (counts.buckets[index] ?? 0) + 1;
    }
    counts.sumSeconds += seconds;
    counts.count += 1;
    this.durations.set(name, counts);
  }

  /** Writes all of it in Prometheus' text format. */
  render(): string {
    const durations = [...this.durations].flatMap(([labels, { buckets, sumSeconds, count }]) => [
      ...BUCKETS_SECONDS.map(
        (bound, index) =>
          `truecast_http_request_duration_seconds_bucket{${labels},le="${bound}"} ${buckets[index]}`,
      ),
      `truecast_http_request_duration_seconds_bucket{${labels},le="+Inf"} ${count}`,
      `truecast_http_request_duration_seconds_sum{${labels}} ${sumSeconds}`,
      `truecast_http_request_duration_seconds_count{${labels}} ${count}`,
    ]);
    return [
      '# HELP truecast_http_requests_total Requests that were answered.',
      '# TYPE truecast_http_requests_total counter',
      ...[...this.requests].map(([labels, count]) => `truecast_http_requests_total{${labels}} ${count}`),
      '# HELP truecast_http_request_duration_seconds Time until a request was answered; of a stream, until it began.',
      '# TYPE truecast_http_request_duration_seconds histogram',
      ...durations,
      '# HELP truecast_streams_open Streams that are open now.',
      '# TYPE truecast_streams_open gauge',
      `truecast_streams_open ${this.openStreams}`,
      '',
    ].join('\n');
  }
}
