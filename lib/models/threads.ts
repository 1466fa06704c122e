import os from 'node:os';
import { nativeInfo } from '../backend.ts';

/**
 * Threads per run unless the caller says otherwise. Two gave 1.5 times the speed of one on
 * bge-small, whose matrices are too small to feed many; and the host has other work.
 */
const MOST = 4;

/**
 * As many as the CPU set, the cgroup's quota and SKILLSPAN_THREADS leave to the native core, four at
 * most. The two never compete within a request: one waits for the other, and both sleep while waiting.
 */
export function defaultThreads(): number {
  const { isa, threads } = nativeInfo();
  return Math.min(MOST, isa === 'javascript' ? os.availableParallelism() : threads);
}
