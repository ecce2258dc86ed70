// Prometheus metrics: calls, their duration, and the metrics of features.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

export interface Metrics {
  /** Counts a call that took `seconds`. */
  countCall(path: string, method: string, status: number, seconds: number): void;
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** Adds a gauge that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Returns all metrics in the Prometheus text format. */
  render(): Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Histogram({
    name: "strongroom_call_seconds",
    help: "Duration of calls",
    labelNames: ["path", "method", "status"],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [registry],
  });
  return {
    countCall(path, method, status, seconds) {
      calls.observe({ path, method, status }, seconds);
    },
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers: [registry] }),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          gauge.set(await read());
        },
      });
    },
    render: () => registry.metrics(),
  };
}
