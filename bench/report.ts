import { Bench } from 'tinybench';

/** One thing to time, under the name it has in the table. */
export type Contender = readonly [name: string, run: () => unknown];

const ROUNDS = 10;
/** Milliseconds of a turn; and in all, after which three turns will do. */
const TURN = 100;
const ENOUGH = 4_000;

class Record {
  /** The median of each turn. */
  readonly times: number[] = [];
  #spent = 0;

  constructor(
    readonly name: string,
    readonly run: () => unknown,
  ) {}

  /** The first run of a turn finds the caches full of somebody else's data, and does not count. */
  async takeTurn(): Promise<void> {
    if (this.#spent > ENOUGH && this.times.length >= 3) return;
    const started = performance.now();
    const bench = new Bench({ time: TURN, iterations: 1, warmupTime: 0, warmupIterations: 1 });
    await bench.add(this.name, this.run).run();
    const { result } = bench.tasks[0]!;
    if (result.state !== 'completed') throw new Error(`${this.name} did not finish`);
    this.times.push(result.latency.p50);
    this.#spent += performance.now() - started;
  }

  get median(): number {
    this.times.sort((a, b) => a - b);
    return this.times[this.times.length >> 1]!;
  }
}

/**
 * Times contenders by turns in one process and prints the median of each with its ratio to the first,
 * which is ours. Times are for orientation; the ratios are what carries over to other machines.
 * @param each what one run does so many times; the times printed are for one of them.
 */
export async function compare(
  title: string,
  contenders: readonly Contender[],
  each = 1,
): Promise<void> {
  const records = contenders.map(([name, run]) => new Record(name, run));
  for (let round = 0; round < ROUNDS; round++) {
    for (const record of records) await record.takeTurn();
  }
  const ours = records[0]!.median;
  console.log(`  ${title}`);
  for (const { name, median } of records) {
    const ratio = `${(median / ours).toFixed(2)} x`;
    console.log(
      `    ${name.padEnd(44)} ${format(median / each).padStart(10)}  ${ratio.padStart(9)}`,
    );
  }
}

function format(milliseconds: number): string {
  return milliseconds < 1
    ? `${(milliseconds * 1000).toFixed(1)} us`
    : `${milliseconds.toFixed(2)} ms`;
}
