import { Presets, SingleBar } from 'cli-progress';

/**
 * A progress bar with rate and time left, on stderr and only where that is a terminal. Appears with the
 * first step, so short work shows none.
 */
export function progressBar(what: string): {
  step: (done: number, total: number) => void;
  stop: () => void;
} {
  if (!process.stderr.isTTY) return { step: () => {}, stop: () => {} };
  let bar: SingleBar | undefined;
  let started = 0;
  return {
    step(done, total) {
      if (!bar) {
        started = performance.now();
        bar = new SingleBar(
          {
            stream: process.stderr,
            format: `${what} {bar} {value}/{total}  {rate}/s  {eta_formatted} left`,
            hideCursor: true,
          },
          Presets.shades_classic,
        );
        bar.start(total, 0, { rate: '–' });
      }
      const seconds = (performance.now() - started) / 1000;
      bar.update(done, { rate: seconds > 0 ? (done / seconds).toFixed(1) : '–' });
    },
    stop() {
      bar?.stop();
    },
  };
}
