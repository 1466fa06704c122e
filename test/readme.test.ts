import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runModule } from './support/fresh-process.ts';

it('the example in the README prints what the README says', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code, output] = readme.match(/<!-- example.*?```js\n(.*?)```.*?```text\n(.*?)```/s)!;
  const { stdout, stderr } = runModule(code!);
  expect(stderr).toBe('');
  expect(stdout).toBe(output);
});
