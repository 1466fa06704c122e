import { Bench } from 'tinybench';

/** One thing to time, under the name it has in the table. */
export type Contender = [name: string, run: () => unknown];

/**
 * Times contenders in one process, one after the other, and prints each median with its ratio to the
 * first, which is ours. Times are for orientation; the ratios are what carries over to other machines.
 */
export async function compare(title: string, contenders: readonly Contender[]): Promise<void> {
  const bench = new Bench({ time: 1_000, warmupTime: 200, warmupIterations: 3, iterations: 5 });
  for (const [name, run] of contenders) bench.add(name, run);
  await bench.run();
  const medians = bench.tasks.map(({ name, result }) => {
    if (result?.state !== 'completed') throw new Error(`${title}: ${name} did not finish`);
    return { name, median: result.latency.p50 };
  });
  const ours = medians[0]!.median;
  const columns = medians.map(
    ({ name, median }, i) =>
      `${name} ${format(median)}${i === 0 ? '' : ` (${(median / ours).toFixed(1)}x)`}`,
  );
  console.log(`${title.padEnd(36)} ${columns.join('   ')}`);
}

function format(milliseconds: number): string {
  return milliseconds < 1
    ? `${(milliseconds * 1000).toFixed(1)} us`
    : `${milliseconds.toFixed(2)} ms`;
}
