/** What a warning is about. Stable: a message may be reworded in any release, a code may not. */
export type WarningCode =
  // Finding the files
  | 'unreadable'
  | 'link-to-parent'
  | 'several-skill-files'
  | 'file-too-large'
  | 'registry-too-large'
  | 'kept-last-good'
  // The text as a whole
  | 'invalid-unicode'
  | 'control-characters'
  | 'invisible-characters'
  | 'link-as-text'
  | 'empty-skill'
  // Front matter
  | 'no-front-matter'
  | 'text-before-front-matter'
  | 'front-matter-unclosed'
  | 'front-matter-repeated'
  | 'front-matter-not-a-mapping'
  | 'yaml-repaired'
  | 'duplicate-key'
  // The two fields every skill needs
  | 'key-case'
  | 'value-not-text'
  | 'value-cut'
  | 'name-missing'
  | 'description-missing'
  | 'description-long';

/** Something in a registry that was mended, guessed or left out, and where. */
export interface RegistryWarning {
  /** Absolute path of the file or folder. */
  readonly path: string;
  /** Line in that file, counted from 1; 1 as well where no line applies. */
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** Takes a warning about a file that the receiver already knows. */
export type Warn = (code: WarningCode, line: number, message: string) => void;
