import { InvalidArgumentError } from 'commander';

export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('Not a number.');
  return value;
}

/** Numbers parted by commas. */
export function numbers(text: string): number[] {
  return text.split(',').map(number);
}

/** Names parted by commas. */
export function names(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** For an option that may come several times. */
export function repeated(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}
