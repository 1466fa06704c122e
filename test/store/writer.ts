// A process that writes step after step and says of each when it is committed: writer.ts ROOT FIRST [LAST]
import { writeSync } from 'node:fs';
import { writeSteps } from './steps.ts';

const [, , root, first, last] = process.argv;
await writeSteps(
  root!,
  Number(first),
  (step) => writeSync(1, `${step}\n`),
  (step) => last !== undefined && step > Number(last),
);
