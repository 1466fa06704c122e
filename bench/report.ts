/** One thing to time, under the name it has in the table. */
export type Contender = readonly [name: string, run: () => unknown];

const ROUNDS = 10;
/** Milliseconds. */
const TURN = 100;
const LONG = 500;
/** In all, after which three runs will do. */
const ENOUGH = 4_000;

class Record {
  readonly times: number[] = [];
  #spent = 0;

  constructor(
    readonly name: string,
    readonly run: () => unknown,
  ) {}

  /**
   * The first run of a turn finds the caches full of somebody else's data. It counts only where a run
   * is so long that this does not matter.
   */
  async takeTurn(): Promise<void> {
    if (this.#spent > ENOUGH && this.times.length >= 3) return;
    const first = await this.#time();
    let spent = first;
    if (first > LONG) this.times.push(first);
    for (let more = first <= LONG; more || spent < TURN; more = false) {
      const time = await this.#time();
      this.times.push(time);
      spent += time;
    }
    this.#spent += spent;
  }

  async #time(): Promise<number> {
    const start = performance.now();
    const answer = this.run();
    // Without waiting where there is nothing to wait for: that alone takes longer than small calls.
    if (answer instanceof Promise) await answer;
    return performance.now() - start;
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
