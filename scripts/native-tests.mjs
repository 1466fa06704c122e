// Builds and runs the tests of native/core:
//   node scripts/native-tests.mjs                                on this machine
//   node scripts/native-tests.mjs --sanitize address,undefined   or --sanitize thread
//   node scripts/native-tests.mjs --qemu                         on emulated x86-64 and arm64
import { parseArgs } from 'node:util';
import { MissingTools, runEmulated, runPlain, runSanitized } from './native-suite.mjs';
import { closingLine } from './tally.mjs';

const { values } = parseArgs({
  options: { sanitize: { type: 'string' }, qemu: { type: 'boolean' } },
});

function suite() {
  if (values.qemu) return runEmulated();
  if (values.sanitize) return runSanitized(values.sanitize);
  return runPlain();
}

try {
  const tally = suite();
  console.log(closingLine(tally));
  process.exitCode = tally.failed === 0 ? 0 : 1;
} catch (error) {
  const missing = error instanceof MissingTools;
  console.error(missing ? `The native tests cannot run here; ${error.message}` : error.message);
  process.exitCode = 1;
}
