import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Prose, unexpected } from '../errors.ts';
import type { Dtype } from './presets.ts';

/** What a model runs on. `auto`: an NVIDIA GPU where its libraries are installed, else the CPU. */
export type Device = 'auto' | 'cpu' | 'cuda' | 'coreml' | 'dml' | 'webgpu';

export type Provider = Exclude<Device, 'auto'>;

export const DEVICES: readonly Device[] = ['auto', 'cpu', 'cuda', 'coreml', 'dml', 'webgpu'];

/** What a choice of device depends on. */
export interface Surroundings {
  readonly platform: string;
  readonly arch: string;
  /** Whether onnxruntime-node's CUDA provider library is installed. */
  readonly cudaLibrary: boolean;
  /** Whether the machine shows an NVIDIA driver. */
  readonly nvidia: boolean;
}

export interface ProviderChoice {
  readonly provider: Provider;
  /** What is missing for a faster one, and how to get it. */
  readonly note: string | undefined;
}

/** Providers of onnxruntime-node, beside the CPU's, by platform. */
const PROVIDERS: Readonly<Record<string, readonly Provider[]>> = {
  'linux-x64': ['cuda', 'webgpu'],
  'win32-x64': ['dml', 'cuda', 'webgpu'],
  'win32-arm64': ['dml', 'webgpu'],
  'darwin-x64': ['coreml', 'webgpu'],
  'darwin-arm64': ['coreml', 'webgpu'],
};

const CUDA_HELP =
  'run `node node_modules/onnxruntime-node/script/install` once, on-line, with CUDA 12 and cuDNN 9 installed';

/**
 * Chooses what runs a model, by what there is.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for no device; `ERR_DEVICE` for one that is asked for by
 *   name and is not there, with what is missing.
 */
export function chooseProvider(device: Device, surroundings: Surroundings): ProviderChoice {
  if (!DEVICES.includes(device)) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'device', `one of ${DEVICES.join(', ')}`, device);
  }
  const { platform, arch, cudaLibrary, nvidia } = surroundings;
  const here = PROVIDERS[`${platform}-${arch}`] ?? [];
  const cuda = here.includes('cuda');
  if (device === 'auto') {
    if (cuda && cudaLibrary && nvidia) return { provider: 'cuda', note: undefined };
    const missed = cuda && nvidia;
    const note = `models run on the CPU: the CUDA provider library is missing; ${CUDA_HELP}`;
    return { provider: 'cpu', note: missed ? note : undefined };
  }
  if (device !== 'cpu' && !here.includes(device)) {
    const expected = `one of ${['auto', 'cpu', ...here].join(', ')} on ${platform}-${arch}`;
    throw unexpected('ERR_DEVICE', 'device', expected, device);
  }
  if (device === 'cuda' && !cudaLibrary) {
    const came = new Prose(`none; ${CUDA_HELP}`);
    throw unexpected('ERR_DEVICE', 'device cuda', 'the CUDA provider library', came);
  }
  return { provider: device, note: undefined };
}

/** What to do where the chosen provider does not start. */
export function fallback(device: Device, choice: ProviderChoice, error: Error): ProviderChoice {
  if (device !== 'auto' || choice.provider === 'cpu') throw error;
  const reason = error.message.split('\n')[0];
  return {
    provider: 'cpu',
    note: `models run on the CPU: ${choice.provider} does not start: ${reason}`,
  };
}

/** Looks at this machine. */
export function surroundings(): Surroundings {
  const { platform, arch } = process;
  return {
    platform,
    arch,
    cudaLibrary: existsSync(cudaLibrary(platform, arch)),
    nvidia:
      platform === 'win32' || existsSync('/proc/driver/nvidia') || existsSync('/dev/nvidiactl'),
  };
}

function cudaLibrary(platform: string, arch: string): string {
  const name =
    platform === 'win32' ? 'onnxruntime_providers_cuda.dll' : 'libonnxruntime_providers_cuda.so';
  try {
    const main = createRequire(import.meta.url).resolve('onnxruntime-node');
    return path.join(path.dirname(main), '..', 'bin', 'napi-v6', platform, arch, name);
  } catch {
    return '';
  }
}

/**
 * Number types in order of preference: half precision on a GPU; on the CPU, where it gains nothing,
 * full precision, else whole numbers.
 */
export function preferredDtypes(provider: Provider): readonly Dtype[] {
  return provider === 'cpu' ? ['fp32', 'int8', 'q4', 'fp16'] : ['fp16', 'fp32', 'q4', 'int8'];
}

let told = false;

/** Says a note once in the life of a process, the way Node says such things. */
export function tell(note: string | undefined): void {
  if (note === undefined || told) return;
  told = true;
  process.emitWarning(note, { code: 'SKILLSPAN_DEVICE' });
}
